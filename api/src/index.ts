export { Api } from "./api.ts";
export type { HealthSource } from "./health/index.ts";
export { type ServingCertificate, selfSigned } from "./listener/certificate.ts";
export { ListenError, type Listener, type ListenOptions, listen } from "./listener/index.ts";
export { type Tls, type TlsRules, tlsOf, usualTls } from "./listener/tls.ts";
export type { ApiParts, ClusterParts } from "./parts.ts";
export { type PipelineOptions, pipeline } from "./pipeline.ts";
export { errorMappingVariable, parseErrorMapping } from "./v1/summary/error-mapping.ts";
export { tuneV8 } from "./v8.ts";
