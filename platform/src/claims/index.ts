export { claim, unclaim, type Wanted } from "./claim.ts";
export { type Claimant, claimantsOf, claimIndex } from "./marks.ts";
