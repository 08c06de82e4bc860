import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { systemClock } from "kopf-ts";
import { longestTurn } from "kopf-ts/testing";
import { Threads } from "../../../threads.ts";
import { CachedItems } from "../items.ts";
import {
  aContext,
  allTypes,
  bytesOf,
  configMaps,
  metadata,
  read,
  type Sent,
  secrets,
  shape,
} from "../testing.test.support.ts";

const MiB = 1024 * 1024;
const { signal } = new AbortController();
const labels = { owner: "helm" };

/** As Helm has it: templates in base64, the same ones in the manifest. */
function aRelease(bytes: number): Sent {
  const data = randomBytes(192).toString("base64");
  const templates = Array.from({ length: bytes / 320 }, (_, index) => {
    return { name: `templates/file-${index}.yaml`, data };
  });
  return { name: "r", version: 3, chart: { templates } };
}

function packed(release: Sent | string): string {
  const json = typeof release === "string" ? release : JSON.stringify(release);
  return gzipSync(json).toString("base64");
}

/** A Secret has all data in base64. */
function secretWith(release: string): Buffer {
  const data = { release: Buffer.from(release).toString("base64"), other: "eA==" };
  return bytesOf({ apiVersion: "v1", kind: "Secret", metadata: { ...metadata, labels }, data });
}

/** The data of the item of an object, as lists and gets write it. */
async function dataOf(object: Buffer, type = secrets, query = ""): Promise<unknown> {
  const writer = writerOf(type, query);
  await writer.prepare?.(object, signal);
  return read(writer.ofObject(object)).data;
}

function writerOf(type: typeof secrets, query = "") {
  const items = new CachedItems({ types: allTypes, threads: new Threads(systemClock) });
  return items.writer(aContext(type, shape(`includeHelmData=true&${query}`)));
}

describe("large releases of Helm", function () {
  this.timeout(60_000); // a thread starts slowly on a busy machine

  for (const size of [0.4, 0.6, 8, 31]) {
    it(`are shown as small ones are: ${size} MiB`, async () => {
      const release = aRelease(size * MiB);

      expect(await dataOf(secretWith(packed(release)))).to.deep.equal({ release, other: "eA==" });
    });
  }

  it("are shown in ConfigMaps, and where they are not packed", async () => {
    const release = aRelease(MiB);
    for (const text of [packed(release), Buffer.from(JSON.stringify(release)).toString("base64")]) {
      const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { ...metadata, labels } };

      const data = await dataOf(bytesOf({ ...object, data: { release: text } }), configMaps);

      expect(data).to.deep.equal({ release });
    }
  });

  it("stay as they are when they are beyond 32 MiB, or none", async () => {
    const none = packed(`{"a":"${"x".repeat(MiB)}"`);
    const deep = packed(`{"a":${"[".repeat(MiB)}${"]".repeat(MiB)}}`);
    for (const text of [packed(aRelease(40 * MiB)), none, deep]) {
      const release = Buffer.from(text).toString("base64");

      expect(await dataOf(secretWith(text))).to.deep.equal({ release, other: "eA==" });
    }
  });

  it("are not shown to who does not want their field", async () => {
    const object = secretWith(packed(aRelease(MiB)));

    expect(await dataOf(object, secrets, "exclude=data.release")).to.deep.equal({ other: "eA==" });
  });

  it("stay packed in an item of another object", async () => {
    const [one, other] = [secretWith(packed(aRelease(MiB))), secretWith(packed(aRelease(2 * MiB)))];
    const writer = writerOf(secrets);
    await writer.prepare?.(one, signal);

    expect(read(writer.ofObject(other)).data).to.deep.equal(JSON.parse(String(other)).data);
  });

  for (const size of [0.5, 8, 31]) {
    it(`leave others their turns: ${size} MiB`, async () => {
      const object = secretWith(packed(aRelease(size * MiB)));
      const writer = writerOf(secrets);

      const longest = await longestTurn(async () => {
        await writer.prepare?.(object, signal);
        writer.ofObject(object);
      });

      expect(longest).to.be.lessThan(50);
    });
  }

  it("end for somebody who has gone", async () => {
    const gone = new AbortController();
    const preparing = writerOf(secrets).prepare?.(secretWith(packed(aRelease(MiB))), gone.signal);
    gone.abort(new Error("gone"));

    expect(await preparing?.catch(String)).to.equal("Error: gone");
  });
});
