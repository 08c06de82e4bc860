import type { LiveSettings } from "@drover/platform";
import { expect } from "chai";
import { Served } from "../listener/testing/served.ts";
import { notFound } from "../not-found/index.ts";
import { ping, publicRoutes } from "./index.ts";

const pem = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----";

describe("public routes", () => {
  let served: Served;
  const texts: Record<string, string> = {};
  const settings = { text: (name) => texts[name] ?? "" } as LiveSettings;
  before(async () => {
    served = await Served.open([ping, publicRoutes({ settings, version: "1.2.3" }), notFound]);
  });
  after(() => served[Symbol.asyncDispose]());
  beforeEach(() => {
    for (const name of Object.keys(texts)) delete texts[name];
  });

  it("answer pong", async () => {
    const { body, headers } = await served.call("/ping");

    expect([body, headers["content-type"]]).to.deep.equal(["pong", "text/plain; charset=utf-8"]);
  });

  for (const { kind, prime } of [
    { kind: "", prime: "false" },
    { kind: "prime", prime: "true" },
  ]) {
    it(`tell the version of an edition called "${kind}"`, async () => {
      texts["server-version-type"] = kind;

      expect(JSON.parse((await served.call("/rancherversion")).body)).to.deep.equal({
        ...{ Version: "1.2.3", GitCommit: "", RancherPrime: prime },
      });
    });
  }

  for (const { name, value, expected } of [
    { name: "nothing", value: "", expected: "" },
    { name: "nothing but blanks", value: " \n", expected: "" },
    { name: "a certificate", value: pem, expected: `${pem}\n` },
    { name: "a certificate that ends its line", value: `${pem}\n`, expected: `${pem}\n` },
  ]) {
    it(`show ${name} as authorities`, async () => {
      texts.cacerts = value;

      const { status, body, headers } = await served.call("/cacerts");

      expect([status, body]).to.deep.equal([200, expected]);
      expect(headers["content-type"]).to.equal("text/plain; charset=utf-8");
    });
  }

  it("show a setting as norman does", async () => {
    texts["first-login"] = "true";
    texts.cacerts = pem;

    const { body } = await served.call("/v3/settings/cacerts", {
      headers: { host: "drover.test" },
    });

    expect(JSON.parse(body)).to.deep.equal({
      id: "cacerts",
      type: "setting",
      baseType: "setting",
      links: { self: "https://drover.test/v3/settings/cacerts" },
      name: "cacerts",
      value: pem,
      default: "",
      customized: true,
    });
  });

  for (const { name, status } of [
    { name: "cacerts", status: 200 },
    { name: "first-login", status: 200 },
    { name: "ui-banners", status: 200 },
    { name: "ui-issues", status: 200 },
    { name: "ui-pl", status: 200 },
    { name: "ui-brand", status: 200 },
    { name: "ui-default-landing", status: 200 },
    { name: "server-url", status: 404 },
    { name: "install-uuid", status: 404 },
    { name: "toString", status: 404 },
    { name: "first-login/x", status: 404 },
  ]) {
    it(`answer ${status} for setting ${name}`, async () => {
      expect((await served.call(`/v3/settings/${name}`)).status).to.equal(status);
    });
  }

  for (const path of ["/ping", "/rancherversion", "/cacerts", "/v3/settings/ui-pl"]) {
    it(`take no write at ${path}`, async () => {
      const answer = await served.call(path, { method: "PUT" });

      expect([answer.status, answer.headers.allow]).to.deep.equal([405, "GET, HEAD"]);
    });
  }
});
