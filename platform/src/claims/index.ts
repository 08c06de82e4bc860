export { claim, unclaim, type Wanted } from "./claim.ts";
export { type Claim, type Claimant, claimantsOf, claimIndex, claimsOn } from "./marks.ts";
