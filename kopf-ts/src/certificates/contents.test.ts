import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { connect } from "node:tls";
import { expect } from "chai";
import {
  type Authority,
  issuerOf,
  pemOf,
  readAuthority,
  readServing,
  type Serving,
} from "./contents.ts";
import { anAuthority, aSecret, aServing, secretOf } from "./testing/certificates.ts";

const now = Date.now();
const life = 3_600_000;

describe("contents of the Secrets", () => {
  let authority: Authority;
  let other: Authority;
  let serving: Serving;
  before(async () => {
    authority = await anAuthority(now, life);
    other = await anAuthority(now, life);
    serving = await aServing(authority, now, life, ["localhost", "127.0.0.1", "::1"]);
  });

  it("hold an authority with those before it, itself first and each once", () => {
    const bundle = pemOf([other.certificate, authority.certificate, other.certificate]);

    const read = readAuthority(secretOf(authority.pair, bundle));

    expect("found" in read && pemOf(read.found.bundle)).to.equal(
      pemOf([authority.certificate, other.certificate]),
    );
  });

  const faults = (): readonly { name: string; read: object; fault: string }[] => [
    { name: "none", read: readServing(undefined), fault: "it does not exist" },
    {
      name: "an empty one",
      read: readServing(aSecret({})),
      fault: "tls.crt or tls.key is missing",
    },
    {
      name: "no key",
      read: readServing(aSecret({ "tls.crt": serving.pair.cert })),
      fault: "tls.crt or tls.key is missing",
    },
    {
      name: "text for a certificate",
      read: readServing(secretOf({ cert: "x", key: serving.pair.key })),
      fault: "tls.crt is not made of certificates",
    },
    {
      name: "a broken certificate",
      read: readServing(
        secretOf({ ...serving.pair, cert: serving.pair.cert.replace("MII", "AAA") }),
      ),
      fault: "tls.crt is not made of certificates",
    },
    {
      name: "text for a key",
      read: readServing(secretOf({ ...serving.pair, key: "hunter2" })),
      fault: "tls.key is not the key of tls.crt",
    },
    {
      name: "somebody else's key",
      read: readServing(secretOf({ ...serving.pair, key: other.pair.key })),
      fault: "tls.key is not the key of tls.crt",
    },
    {
      name: "a server for an authority",
      read: readAuthority(secretOf(serving.pair)),
      fault: "tls.crt is no certificate authority",
    },
    {
      name: "a bundle with a broken certificate",
      read: readAuthority(
        secretOf(authority.pair, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"),
      ),
      fault: "ca.crt is not made of certificates",
    },
  ];
  it("are told apart when they are no use", () => {
    for (const { name, read, fault } of faults()) expect(read, name).to.deep.equal({ fault });
  });

  it("name the issuer by its signature, not by its name", async () => {
    const namesake = await anAuthority(now, life);

    expect(issuerOf(serving.certificate, [namesake.certificate])).to.equal(undefined);
    expect(issuerOf(serving.certificate, [namesake.certificate, authority.certificate])).to.equal(
      authority.certificate,
    );
  });

  it("do not outlive the authority", async () => {
    const long = await aServing(authority, now, 10 * life);

    expect(long.certificate.validTo).to.equal(authority.certificate.validTo);
  });

  it("have a serial number of their own each", async () => {
    const made = await Promise.all([1, 2, 3].map(() => aServing(authority, now, life)));

    const serials = new Set(made.map(({ certificate }) => certificate.serialNumber));

    expect(serials.size).to.equal(3);
  });

  for (const host of ["localhost", "127.0.0.1"]) {
    it(`are taken by TLS clients that ask for ${host} and trust both authorities`, async () => {
      const server = createServer({ ...serving.pair }).listen(0, host);
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const ca = pemOf([other.certificate, authority.certificate]);

      const socket = connect({ host, port, ca, ...(host === "localhost" && { servername: host }) });
      await once(socket, "secureConnect");

      expect(socket.authorized).to.equal(true);
      expect(new X509Certificate(serving.pair.cert).checkHost("elsewhere")).to.equal(undefined);
      socket.destroy();
      server.close();
    });
  }
});
