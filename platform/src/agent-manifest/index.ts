export { caChecksum } from "./ca-checksum.ts";
