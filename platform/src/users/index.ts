export { isSystemPrincipal, localPrincipal, principalLabels, userNameFor } from "./principals.ts";
