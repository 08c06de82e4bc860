/** The thread that reads one release. It says the JSON, without spaces; nothing where there is none. */

import { parentPort, workerData } from "node:worker_threads";
import { largest, releaseIn } from "./release.ts";

const { buffer, byteOffset, byteLength } = workerData as Uint8Array;
const release = releaseIn(Buffer.from(buffer, byteOffset, byteLength), largest);
if (release !== undefined) {
  const json = new TextEncoder().encode(JSON.stringify(release));
  parentPort?.postMessage(json, [json.buffer]);
}
