import { expect } from "chai";
import { parse } from "yaml";
import { toYaml, toYamlMember } from "./yaml-text.ts";

describe("toYaml", () => {
  const small = { id: "a: b", list: [{ n: 1 }], text: "x\ny\n" };
  const large = { ...small, more: Array.from({ length: 20_000 }, (_, index) => ({ index })) };

  for (const [title, item] of [
    ["a small item", small],
    ["a large one", large],
  ] as const) {
    it(`writes ${title}`, () => {
      const json = Buffer.from(JSON.stringify(item));

      expect(parse(String(toYaml(json)))).to.deep.equal(item);
      const members = parse(`data:\n${toYamlMember(json)}${toYamlMember(Buffer.from("{}"))}`);
      expect(members).to.deep.equal({ data: [item, {}] });
    }).timeout(20_000);
  }

  it("quotes texts that YAML 1.1 takes for something else, as kubectl and the API server read it", () => {
    const texts = ["yes", "on", "y", "1_000", "12:30:45", "010", "~", "2001-01-01"];
    const written = String(toYaml(Buffer.from(JSON.stringify({ texts }))));

    expect(parse(written, { version: "1.1" })).to.deep.equal({ texts });
  });

  it("leaves a large one the JSON that it is, and no small one", () => {
    const json = JSON.stringify(large);

    expect(String(toYaml(Buffer.from(json)))).to.equal(`${json}\n`);
    expect(String(toYamlMember(Buffer.from(json)))).to.equal(`- ${json}\n`);
    expect(String(toYaml(Buffer.from(JSON.stringify(small))))).to.contain('id: "a: b"\n');
  });

  it("keeps integers that JavaScript cannot hold", () => {
    const json = Buffer.from('{"a":9223372036854775807,"b":["-12345678901234567890",1.5]}');

    expect(String(toYaml(json))).to.equal(
      'a: 9223372036854775807\nb:\n  - "-12345678901234567890"\n  - 1.5\n',
    );
    expect(String(toYamlMember(json))).to.contain("- a: 9223372036854775807\n");
  });
});
