import { readFile } from "node:fs/promises";
import { parseFeatures } from "@drover/platform";
import { expect } from "chai";
import { resourceName } from "kopf-ts";
import { admission } from "./index.ts";
import { admissionFile, admissionPage } from "./reference.ts";

describe("the reference of admission", () => {
  const webhooks = admission({ env: {}, features: parseFeatures("") });

  it("says in admission.md what the webhooks and their READMEs say", async () => {
    const written = await readFile(admissionFile, "utf8");

    expect(
      written === (await admissionPage()),
      "docs/reference/admission.md is out of date: run `node operators/dist/reference.js`",
    ).to.equal(true);
  });

  it("has every entry of every webhook once", async () => {
    const page = await admissionPage();

    for (const webhook of webhooks) {
      const phase = "mutate" in webhook ? "mutation" : "validation";
      for (const { suffix } of webhook.rules) {
        const name = [resourceName(webhook.kind), suffix].filter(Boolean).join(".");
        expect(page.split(`| ${phase} \`${name}\` |`)).to.have.length(2);
      }
    }
  });

  it("says of every validator what it refuses, with its code", async () => {
    const page = await admissionPage();
    const sections = page.split("\n## ").slice(1);

    for (const section of sections) expect(section, section.slice(0, 40)).to.match(/\b4\d\d\b/);
    expect(sections.length).to.be.greaterThan(15);
  });
});
