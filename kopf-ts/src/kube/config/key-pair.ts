import { createPrivateKey, X509Certificate } from "node:crypto";

/**
 * Why a client certificate proves nothing with this key (both PEM text): there is none, or it is another's; undefined when it does. TLS
 * would not say: it takes an RSA key beside an EC certificate and then shows no certificate, so that we would be anonymous. What cannot be
 * read here is left to TLS, which says why.
 */
export function pairFault(
  cert: string | undefined,
  key: string | undefined,
): "no key" | "another's key" | undefined {
  if (cert === undefined) return undefined;
  if (key === undefined) return "no key";
  try {
    const belong = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
    return belong ? undefined : "another's key";
  } catch {
    return undefined;
  }
}
