/** Steve as a process, and how somebody asks it or us. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Agent, request } from "undici";
import { parse } from "yaml";
import { Subject } from "../bench/process.ts";
import { goProgram } from "../go-program.ts";
import { users } from "./objects.ts";
import type { PeerRequest } from "./requests.ts";

const source = fileURLToPath(new URL("../../bench/peers/steve", import.meta.url));

/** A server of /v1. */
export interface Peer extends AsyncDisposable {
  /** What its URLs begin with. */
  readonly base: string;
}

/** Starts Steve; it serves when this resolves, which takes some seconds, and lists for the first time when it is asked. */
export async function startSteve(kubeconfig: string): Promise<Peer> {
  const program = await goProgram(source, (text) => process.stderr.write(`${text}\n`));
  const cwd = await mkdtemp(join(tmpdir(), "drover-steve-"));
  const argv = [program, "--kubeconfig", kubeconfig, "--listen", "127.0.0.1:0"];
  const subject = new Subject("steve", { argv, cwd });
  const { address } = await subject.event("listening");
  return {
    base: `http://${String(address)}`,
    [Symbol.asyncDispose]: async () => {
      await subject[Symbol.asyncDispose]();
      await rm(cwd, { recursive: true, force: true });
    },
  };
}

/** An answer, parsed if it can be. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: unknown;
}

const agent = new Agent({ connect: { rejectUnauthorized: false } });

/** Sends a request as its user, by Impersonate-* headers. */
export async function ask({ base }: Peer, { user, path }: PeerRequest): Promise<Answer> {
  const headers = [
    ...["accept", "application/json", "impersonate-user", user],
    ...(users[user] ?? []).flatMap((group) => ["impersonate-group", group]),
  ];
  const response = await request(`${base}${path}`, { dispatcher: agent, headers });
  const text = await response.body.text();
  // Ours says it of an empty body as well: a difference that is listed.
  const contentType = text === "" ? "" : String(response.headers["content-type"]);
  return { status: response.statusCode, contentType, body: parsed(text, contentType) };
}

function parsed(text: string, contentType: string): unknown {
  if (contentType === "application/yaml") return parse(text);
  if (contentType === "application/jsonl") return ofLines(text);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A collection has itself in the first line, and what is in it in the others. */
function ofLines(text: string): unknown {
  const [first, ...data] = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as object);
  return data.length === 0 ? first : { ...first, data };
}
