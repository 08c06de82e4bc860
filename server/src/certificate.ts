/** The certificate that the server starts with: the user's files, or one made for the moments until that of all replicas is known (see serving-certificate). */

import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type ServingCertificate, selfSigned } from "@drover/api";
import { messageOf, systemClock } from "kopf-ts";
import type { ServerOptions } from "./options.ts";

/** Throws an error that names the option when a file cannot be read or the two do not make a pair. */
export async function certificateOf(options: ServerOptions): Promise<ServingCertificate> {
  const { tlsCertFile, tlsKeyFile, bindHost } = options;
  if (tlsCertFile === undefined && tlsKeyFile === undefined) {
    return selfSigned(["localhost", "127.0.0.1", bindHost], systemClock.now());
  }
  if (tlsCertFile === undefined || tlsKeyFile === undefined) {
    throw new Error("--tls-cert-file and --tls-key-file go together");
  }
  const pair = {
    cert: await read("--tls-cert-file", tlsCertFile),
    key: await read("--tls-key-file", tlsKeyFile),
  };
  try {
    // OpenSSL alone takes a key of another algorithm, and then fails every handshake.
    const belongs = new X509Certificate(pair.cert).checkPrivateKey(createPrivateKey(pair.key));
    if (!belongs) throw new Error("the key is not the certificate's");
  } catch (cause) {
    const files = `--tls-cert-file ${tlsCertFile} and --tls-key-file ${tlsKeyFile}`;
    const wanted = "a certificate and its key in PEM";
    throw new Error(`${files} must be ${wanted}: ${messageOf(cause)}`, { cause });
  }
  return pair;
}

async function read(option: string, file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new Error(`${option}: ${messageOf(cause)}`, { cause });
  }
}
