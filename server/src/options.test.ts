import { expect } from "chai";
import {
  checkHeaderAuth,
  electionTimes,
  httpsUrl,
  parseAddress,
  parseBoolean,
  parseBytes,
  parseFeatureList,
  parsePort,
  parseTimeout,
  parseWebhookUrl,
} from "./options.ts";

describe("server options", () => {
  it("reads a time to wait, which is above 0", () => {
    expect(parseTimeout("1m30s")).to.equal(90_000);
    for (const text of ["45", "0s", "-3s", ""]) {
      expect(() => parseTimeout(text)).to.throw("a duration is written 8s or 1m30s");
    }
  });

  it("reads a size of memory", () => {
    expect(["16Mi", "512Mi", "1.5Gi", "2G", "16777216"].map(parseBytes)).to.deep.equal([
      ...[16_777_216, 536_870_912, 1_610_612_736],
      ...[2_000_000_000, 16_777_216],
    ]);
    for (const text of ["", "512", "15Mi", "-1Gi", "2GB", "0Gi", "9007199254740993", "10000T"]) {
      expect(() => parseBytes(text), text).to.throw("a size is written 512Mi, 1.5Gi or in bytes");
    }
  });

  it("has Rancher's election times", () => {
    expect(electionTimes({})).to.deep.equal({
      leaseDuration: 45_000,
      renewDeadline: 30_000,
      retryPeriod: 2000,
    });
  });

  it("takes election times from the environment", () => {
    expect(electionTimes({ CATTLE_ELECTION_LEASE_DURATION: "60s" }).leaseDuration).to.equal(60_000);
  });

  it("stretches the lease in dev mode", () => {
    expect(electionTimes({ CATTLE_DEV_MODE: "true" }).leaseDuration).to.equal(45 * 3_600_000);
  });

  it("says which variable is wrong and what it takes", () => {
    expect(() => electionTimes({ CATTLE_ELECTION_RETRY_PERIOD: "soon" })).to.throw(
      'CATTLE_ELECTION_RETRY_PERIOD must be a duration such as 45s or 1m30s, not "soon"',
    );
  });

  for (const { env, message } of [
    {
      env: { CATTLE_ELECTION_LEASE_DURATION: "10s" },
      message:
        "CATTLE_ELECTION_LEASE_DURATION (10s) must be longer than CATTLE_ELECTION_RENEW_DEADLINE (30s)",
    },
    {
      env: { CATTLE_ELECTION_RETRY_PERIOD: "25s" },
      message:
        "CATTLE_ELECTION_RENEW_DEADLINE (30s) must be longer than 1.2 x CATTLE_ELECTION_RETRY_PERIOD (30s)",
    },
  ]) {
    it(`says that ${message}`, () => {
      expect(() => electionTimes(env)).to.throw(message);
    });
  }

  for (const text of ["", " ", "http", "-1", "65536", "1.5", "1e3", "0x10"]) {
    it(`refuses the port "${text}"`, () => {
      expect(() => parsePort(text)).to.throw("a port is a number");
    });
  }

  it("takes an address, and 0 for none", () => {
    expect([
      parseAddress("127.0.0.1:9108"),
      parseAddress(":9108"),
      parseAddress("0"),
    ]).to.deep.equal(["127.0.0.1:9108", ":9108", "0"]);
    expect(parseAddress("[::1]:9108")).to.equal("[::1]:9108");
    for (const wrong of ["localhost", "host:99999", "::1:80", "a:b:1"]) {
      expect(() => parseAddress(wrong), wrong).to.throw("an address is host:port");
    }
  });

  it("writes the address of a listener, IPv6 in brackets", () => {
    expect([httpsUrl("127.0.0.1", 1), httpsUrl("::1", 2)]).to.deep.equal([
      "https://127.0.0.1:1",
      "https://[::1]:2",
    ]);
  });

  it("reads a list of features, and names what is wrong with one", () => {
    expect(parseFeatureList("scim=true,v3-public=0")).to.include({
      scim: true,
      "v3-public": false,
    });
    expect(() => parseFeatureList("scim")).to.throw("must be of the form name=true");
    expect(() => parseFeatureList("scum=true")).to.throw('"scum" is not a feature');
  });

  for (const { text, expected } of [
    { text: "https://127.0.0.1:9443/", expected: "https://127.0.0.1:9443" },
    { text: "https://dev.test/hooks", expected: "https://dev.test/hooks" },
    { text: "", expected: undefined },
  ]) {
    it(`reads the webhook URL "${text}" as ${expected}`, () => {
      expect(parseWebhookUrl(text)).to.equal(expected);
    });
  }

  for (const text of [
    "http://dev.test",
    "dev.test:9443",
    "https://a@dev.test",
    "https://a.test?b=c",
  ]) {
    it(`refuses the webhook URL "${text}"`, () => {
      expect(() => parseWebhookUrl(text)).to.throw("a webhook URL is https://host:port");
    });
  }

  it("takes only true and false for a choice", () => {
    expect([parseBoolean("true"), parseBoolean("false")]).to.deep.equal([true, false]);
    expect(() => parseBoolean("auto")).to.throw("true or false");
  });

  for (const { bindHost, fine } of [
    { bindHost: "127.0.0.1", fine: true },
    { bindHost: "127.1.2.3", fine: true },
    { bindHost: "::1", fine: true },
    { bindHost: "localhost", fine: true },
    { bindHost: "0.0.0.0", fine: false },
    { bindHost: "::", fine: false },
    { bindHost: "10.0.0.1", fine: false },
    { bindHost: "127.0.0.1.example.com", fine: false },
    { bindHost: "", fine: false },
  ]) {
    it(`${fine ? "allows" : "refuses"} header mode on "${bindHost}"`, () => {
      const check = (): void => checkHeaderAuth({ bindHost, enableHeaderAuth: true });

      if (fine) check();
      else expect(check).to.throw("it needs a --bind-host that only this machine reaches");
      checkHeaderAuth({ bindHost });
    });
  }
});
