/** What outlives a server that is killed. */

import { expect } from "chai";
import type { Site } from "./site.ts";
import type { Json } from "./visitor.ts";

const page = "/v1/configmaps?sort=metadata.name&pagesize=50&exclude=metadata.managedFields";

/** What has to be equal before and after: ages go on. */
const lasting = ({ count, data }: Json): object => ({
  count,
  names: [Object(data)].flat().map(({ id, metadata, links }) => ({ id, uid: metadata.uid, links })),
});

export function restart(site: () => Site): void {
  describe("a server that is killed and started again", () => {
    it("has the same authority, takes the same tokens and shows the same page", async () => {
      const token = await site().login("admin");
      await using before = site().bearer(token);
      const shown = lasting(await before.read(page));
      const { ca } = site();

      await site().killAndStart();

      expect(site().ca).to.equal(ca);
      await using admin = site().bearer(token);
      expect(lasting(await admin.read(page))).to.deep.equal(shown);
      using socket = await admin.subscribe();
      await socket.watch({ resourceType: "configmap" });
      await site().direct.kubectl("create", "configmap", "after-the-restart");
      await socket.hears("resource.create", ({ data }) => data?.id === "default/after-the-restart");
    });
  });
}
