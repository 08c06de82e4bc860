import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type SettingName, type SettingSpec, settings } from "@drover/platform";
import { expect } from "chai";

const root = resolve(import.meta.dirname, "../..");
/** Of what runs. */
const folders = ["platform/src", "operators/src", "api/src", "server/src"];
/** These name settings, and go by none. */
const tables = ["platform/src/settings/", "platform/src/reference.ts", "api/src/reference"];

function isSource(file: string): boolean {
  return (
    /(?<!\.test|\.test\.support)\.ts$/.test(file) && !tables.some((own) => file.startsWith(own))
  );
}

const sources = folders
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) =>
      join(folder, file),
    ),
  )
  .filter(isSource)
  .map((file) => readFileSync(join(root, file), "utf8"));

const isNamed = (name: string): boolean => sources.some((text) => text.includes(`"${name}"`));
/** What is no name of a setting alone may stand in a source for something else. */
const isWord = (name: string): boolean => !name.includes("-");

const all = Object.entries(settings) as readonly (readonly [SettingName, SettingSpec])[];
const namesOf = (follower: SettingSpec["followedBy"]): readonly string[] =>
  all.filter(([, { followedBy }]) => followedBy === follower).map(([name]) => name);

describe("settings", () => {
  it("are named in the code, unless the table says that they are not", () => {
    expect(namesOf(undefined).filter((name) => !isNamed(name))).to.deep.equal([]);
  });

  it("that the table says are for clients are in the code where it finds out or shows them", () => {
    expect(namesOf("clients").filter(isNamed)).to.deep.equal([
      "k8s-version", // what the local cluster has is its default
      "ui-default-landing", // below /v3, as the next one
      "ui-issues",
    ]);
  });

  it("that the table says nobody goes by are not in the code", () => {
    const later = namesOf("nobody yet").filter((name) => !isWord(name));

    expect(later.filter(isNamed)).to.deep.equal([]);
    expect(later).to.not.deep.equal([]);
  });
});
