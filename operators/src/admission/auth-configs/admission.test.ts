import type { AuthConfig } from "@drover/crds";
import { anAuthConfig } from "@drover/crds/testing";
import { expect } from "chai";
import { RunningAdmission } from "../../testing/admission.ts";
import { refusal } from "../../testing/refusal.ts";
import { authConfigs } from "./index.ts";

describe("admission of authentication providers", function () {
  this.timeout(60_000);

  let running: RunningAdmission;
  before(async () => {
    running = await RunningAdmission.open({ webhooks: [authConfigs] });
  });
  after(() => running[Symbol.asyncDispose]());

  const directory = (fields: object): AuthConfig => ({
    ...anAuthConfig({ type: "activeDirectoryConfig", enabled: true }),
    ...fields,
  });
  const create = (fields: object): Promise<string> =>
    refusal(running.client.create(directory(fields)));
  const servers = ["ad.example.com"];

  it("takes a directory that can be asked", async () => {
    const userSearchFilter = "(&(objectClass=user)(!(cn=\\2a)))";

    expect(await create({ servers, userSearchFilter, userSearchAttribute: "cn|sn" })).to.equal(
      "accepted",
    );
  });

  it("refuses one without servers, with a filter or an attribute that is none", async () => {
    expect(await create({})).to.equal("400 servers must name at least one server, and none empty");
    expect(await create({ servers, groupSearchFilter: "cn=a" })).to.equal(
      "400 groupSearchFilter must be an LDAP filter (RFC 4515), such as (objectClass=person)",
    );
    expect(await create({ servers, userNameAttribute: "full name" })).to.equal(
      "400 userNameAttribute must be an LDAP attribute (RFC 4512), such as sAMAccountName",
    );
  });

  it("takes what the server makes, until somebody enables it", async () => {
    const made = await running.own.create(directory({ enabled: false }));
    const patch = (merge: object) => refusal(running.client.patch(made, { merge }));

    expect(await patch({ accessMode: "required" })).to.equal("accepted");
    expect(await patch({ enabled: true })).to.match(/^400 servers /);
    expect(await patch({ enabled: true, servers })).to.equal("accepted");
  });
});
