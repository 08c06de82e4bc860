/** The commands of docs/guide/api.md, as they stand there. */

import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { clean, eventually, root, run } from "../drover.ts";
import { password, patience, type Site } from "./site.ts";

const guide = readFileSync(join(root, "docs/guide/api.md"), "utf8");
const blocks = [...guide.matchAll(/^```sh\n(.*?)^```/gms)].map(([, text = ""]) => text);
const [
  ,
  login = "",
  make = "",
  list = "",
  more = "",
  change = "",
  watch = "",
  kubectl = "",
  health = "",
  metrics = "",
] = blocks;

export function guideOfTheApi(site: () => Site): void {
  describe("docs/guide/api.md", () => {
    let settings = "";
    before(() => {
      const { place, base, kubectlPath } = site();
      mkdirSync(place.state(), { recursive: true });
      writeFileSync(place.state("bootstrap-password"), `${password}\n`);
      symlinkSync(join(root, "node_modules"), join(place.dir, "node_modules"));
      const [address = "", ...rest] = blocks[0]?.split("\n") ?? [];
      expect(address).to.equal("server=https://127.0.0.1:8443");
      const path = [dirname(process.execPath), dirname(kubectlPath)].join(":");
      settings = [`export PATH=${path}:$PATH`, `server=${base}`, ...rest].join("\n");
    });

    /** As typed into the terminal in which those before were, which end with a schema. */
    const typed = async (block: string): Promise<string> => {
      const known = login.replace(/^v1 \/schemas.*$/m, "");
      const script = `${settings}\n${known}\n${block}`;
      const { code, stdout, stderr } = await run("timeout", ["60", "bash", "-euc", script], {
        cwd: site().place.dir,
        env: clean(),
      });
      expect(code, stdout + stderr).to.equal(0);
      return stdout;
    };
    /** The answers of a block that only reads, as soon as they are as they have to be: caches follow. */
    const reads = async (
      block: string,
      is: (answers: readonly Answer[]) => boolean,
    ): Promise<void> => {
      let seen = "";
      const look = async () => {
        seen = await typed(block);
        return is(answersIn(seen)) || undefined;
      };
      await eventually("answers as told", look, patience, () => seen);
    };

    it("has the commands that are run here", () => {
      expect(blocks).to.have.length(10);
    });

    it("logs in, and reads a schema", async () => {
      const [schema] = answersIn(await typed("v1 /schemas/pod"));

      expect(login).to.contain("\nv1 /schemas/pod\n");
      expect(schema).to.include({ id: "pod", type: "schema" });
    });

    it("makes objects", async () => {
      await typed(make);

      const made = JSON.parse(readFileSync(join(site().place.dir, "made.json"), "utf8"));
      expect(made).to.include({ id: "shop/db-1", type: "configmap" });
      expect(made.metadata.managedFields[0].manager).to.equal("drover");
    });

    it("lists, filters, sorts, pages and counts", () =>
      reads(list, ([sorted, filtered, page, summary, selected]) => {
        const [{ counts = undefined } = {}] = summary?.summary ?? [];
        return (
          idsOf(sorted) === "shop/web-2 shop/web-10 shop/web-1" &&
          idsOf(filtered) === "shop/db-1 shop/web-10" &&
          page?.count === 5 &&
          page.data?.length === 2 &&
          JSON.stringify(counts) === '{"db":{"total":1},"web":{"total":3}}' &&
          selected?.count === 3 &&
          selected.data?.length === 2
        );
      }));

    it("lists by owner, searches, counts and explains", () =>
      reads(more, ([owned, found, several, counts, access]) => {
        const count = Object(counts?.data?.[0]).counts?.configmap?.namespaces?.shop?.count;
        return (
          idsOf(owned) === "" &&
          idsOf(found) === "configmap/shop/web-10" &&
          idsOf(several) === "shop/web-1" &&
          several?.data?.[0]?.cluster === "local" &&
          count === 5 &&
          access?.allowed === true
        );
      }));

    it("changes and deletes", async () => {
      const [changed, gone] = answersIn(await typed(change));

      expect(changed?.data).to.deep.equal({ note: "two" });
      expect(gone).to.include({ type: "error", code: "NotFound" });
    });

    it("watches", async () => {
      await reads(
        'v1 "/configmaps/shop?filter=metadata.name=web-2"',
        ([left]) => idsOf(left) === "",
      );

      expect(await typed(watch)).to.equal("resource.start \nresource.remove shop/db-1\n");
    });

    it("works with kubectl", async () => {
      const said = await typed(kubectl);

      expect(said)
        .to.match(/Username +user-/)
        .and.match(/web-10 +1/)
        .and.contain("deleted");
    });

    it("asks how the API server is", async () => {
      expect(await typed(health))
        .to.contain("[+]etcd ok")
        .and.contain("readyz check passed");
    });

    it("tells metrics, of memory those of a moment ago", async () => {
      const block = metrics.replace("http://127.0.0.1:9108", await site().metrics());

      const told = await eventually(
        "bytes of the cache",
        async () => {
          const text = await typed(block);
          return text.includes("drover_api_cache_bytes{") ? text : undefined;
        },
        patience,
      );

      expect(told).to.match(/steve_api_total_requests\{.*resource="configmap",.*code="201"/);
      const all = await (await fetch(`${await site().metrics()}/metrics`)).text();
      const threeQuarters = 300 * 1024 ** 2;
      expect(all, "--cache-memory").to.contain(`drover_api_cache_limit_bytes ${threeQuarters}\n`);
    });
  });
}

/** What the commands print that are looked at. */
interface Answer {
  readonly count?: number;
  readonly data?: readonly { readonly id?: string; readonly cluster?: string }[];
  readonly summary?: readonly { readonly counts?: object }[];
  readonly allowed?: boolean;
}

/** Each answer is a line, or follows another one on it. */
function answersIn(text: string): readonly Answer[] {
  return text
    .replaceAll("}{", "}\n{")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

function idsOf(answer: Answer | undefined): string | undefined {
  return answer?.data?.map(({ id }) => id).join(" ");
}
