/** What outlives a server that is killed, and how one ends that is asked to. */

import { expect } from "chai";
import { password, type Site } from "./site.ts";
import type { Json } from "./visitor.ts";

/** Of a namespace that nobody writes to any more. */
const page = "/v1/configmaps/team?sort=metadata.name&pagesize=3&exclude=metadata.managedFields";

/** What has to be equal before and after. */
const lasting = ({ count, data }: Json): object => ({
  count,
  items: [Object(data)].flat().map(({ id, metadata, links }) => ({ id, uid: metadata.uid, links })),
});

/** Lines of a log at a level of which somebody has to take notice. */
const errorsIn = (output: string): readonly string[] =>
  output.split("\n").filter((line) => /"level":"(error|fatal)"/.test(line));

export function restart(site: () => Site): void {
  describe("a server that many have used", () => {
    it("has logged no error, and nobody's password or token", async () => {
      const token = await site().login("admin");
      const [, key = ""] = token.split(":");
      await using admin = site().bearer(token);
      await admin.post("/v1/namespaces", { metadata: { name: "a-last-one" } });

      expect(site().output).to.match(/"path":"\/v1\/namespaces"/);
      expect(errorsIn(site().output)).to.deep.equal([]);
      expect(site().output).to.not.contain(key).and.not.contain(password);
    });

    it("has the same authority, tokens and pages after it was killed", async () => {
      const token = await site().login("admin");
      await using before = site().bearer(token);
      const shown = await before.read(page);
      const { ca } = site();
      expect(shown).to.include({ resourceType: "configmap" }).and.have.property("data");

      await site().killAndStart();

      expect(site().ca).to.equal(ca);
      await using admin = site().bearer(token);
      expect(lasting(await admin.read(page))).to.deep.equal(lasting(shown));
      using socket = await admin.subscribe();
      await socket.watch({ resourceType: "configmap" });
      await site().direct.kubectl("create", "configmap", "after-the-restart");
      await socket.hears("resource.create", ({ data }) => data?.id === "default/after-the-restart");
    });

    it("tells those who watch that it ends, and ends in order", async () => {
      await using admin = site().bearer(await site().login("admin"));
      using socket = await admin.subscribe();
      await socket.watch({ resourceType: "configmap" });

      const ended = site().end();

      await socket.hears("resource.stop");
      expect(await socket.closed).to.equal(1001);
      expect(await ended).to.equal(0);
      expect(errorsIn(site().output)).to.deep.equal([]);
    });
  });
}
