export { type NamespaceMetadata, NamespaceOptionsError, namespaceMetadata } from "./options.ts";
