import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect } from "chai";

const root = resolve(import.meta.dirname, "../..");

/** Folders that are not ours, or not kept. */
const foreign = /^(node_modules|dist|\..*)$/;

/** Every page of the repository. */
function pages(folder = root): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return foreign.test(entry.name) ? [] : pages(path);
    return entry.name.endsWith(".md") ? [path] : [];
  });
}

/** The text that people read: without what is shown as code. */
function prose(page: string): string {
  return readFileSync(page, "utf8")
    .replace(/^```.*?^```/gms, "")
    .replace(/`[^`\n]*`/g, "code");
}

/** Where the page's links lead, as they are written; those to other sites left out. */
function linksOf(page: string): readonly string[] {
  return [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** What a heading can be reached by, as GitHub makes it. */
function anchorsOf(page: string): readonly string[] {
  const text = readFileSync(page, "utf8").replace(/^```.*?^```/gms, "");
  return [...text.matchAll(/^#+ +(.+)$/gm)].map(([, heading = ""]) =>
    heading
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** Undefined for a link that leads somewhere. */
function problemOf(page: string, link: string): string | undefined {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : resolve(dirname(page), path);
  const isThere = existsSync(target) && !relative(root, target).startsWith("..");
  const says = (what: string): string => `${relative(root, page)}: ${link} ${what}`;
  if (!isThere) return says("is not there");
  if (anchor === undefined) return undefined;
  const isKnown = statSync(target).isFile() && anchorsOf(target).includes(anchor);
  return isKnown ? undefined : says("has no such heading");
}

describe("the pages of the repository", () => {
  it("link to files and headings that are there", () => {
    const links = pages().flatMap((page) => linksOf(page).map((link) => ({ page, link })));

    const broken = links.flatMap(({ page, link }) => problemOf(page, link) ?? []);

    expect(links.length).to.be.greaterThan(100);
    expect(broken).to.deep.equal([]);
  });

  it("are told of links that lead nowhere", () => {
    const page = join(root, "README.md");

    expect(problemOf(page, "docs/README.md#docs")).to.equal(undefined);
    expect(problemOf(page, "docs/never.md")).to.contain("is not there");
    expect(problemOf(page, "docs/README.md#never")).to.contain("has no such heading");
    expect(problemOf(page, "../README.md")).to.contain("is not there");
  });
});
