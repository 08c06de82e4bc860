/** The API server's own record of who asked it what. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** One request, as the API server saw it. */
export interface Audited {
  readonly userAgent: string;
  readonly verb: string;
  /** Empty for what is no resource, such as /version. */
  readonly resource: string;
  readonly uri: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

const policy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
  - level: Metadata
`;

/** An audit log that a kube-apiserver writes into a folder of its own; `flags` make it do so. */
export class AuditLog implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "drover-audit-"));
  #position = 0;
  #rest = "";

  constructor() {
    writeFileSync(join(this.#folder, "policy.yaml"), policy);
  }

  get flags(): readonly string[] {
    const path = (file: string): string => join(this.#folder, file);
    return [
      `--audit-policy-file=${path("policy.yaml")}`,
      `--audit-log-path=${path("audit.log")}`,
      "--audit-log-maxsize=4096",
    ];
  }

  /** What was asked since the last call. */
  async read(): Promise<readonly Audited[]> {
    await using file = await open(join(this.#folder, "audit.log"));
    const { size } = await file.stat();
    const buffer = Buffer.alloc(size - this.#position);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, this.#position);
    this.#position += bytesRead;
    const lines = (this.#rest + buffer.toString("utf8", 0, bytesRead)).split("\n");
    this.#rest = lines.pop() ?? "";
    return lines.map(audited);
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function audited(line: string): Audited {
  const {
    userAgent = "",
    verb,
    requestURI,
    objectRef,
    requestReceivedTimestamp,
  } = JSON.parse(line);
  const time = Date.parse(requestReceivedTimestamp);
  return { userAgent, verb, resource: objectRef?.resource ?? "", uri: requestURI, time };
}
