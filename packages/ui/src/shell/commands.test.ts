import { describe, expect, it } from "vitest";
import { type Command, filterCommands } from "./commands.ts";

const command = (label: string, keywords = ""): Command => ({ key: label, label, keywords, run() {} });
const labels = (query: string) =>
  filterCommands(
    [
      command("Open the portfolio", "tokens balance"),
      command("Send"),
      command("Theme: dark"),
      command("Sign out"),
    ],
    query,
  ).map(({ label }) => label);

describe("filterCommands()", () => {
  it("returns all commands for an empty query", () => {
    expect(labels("  ")).toHaveLength(4);
  });

  it("matches word prefixes, in any order and case", () => {
    expect(labels("PORT op")).toEqual(["Open the portfolio"]);
    expect(labels("ortfolio")).toEqual([]);
  });

  it("matches keywords too", () => {
    expect(labels("bal")).toEqual(["Open the portfolio"]);
  });

  it("lists commands first whose label starts with the query", () => {
    expect(labels("s")).toEqual(["Send", "Sign out"]);
  });
});
