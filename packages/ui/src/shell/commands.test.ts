import { describe, expect, it } from "vitest";
import { type Command, filterCommands, groupCommands } from "./commands.ts";

const command = (label: string, keywords = ""): Command => ({ key: label, label, keywords, run() {} });
const labels = (query: string) =>
  filterCommands(
    [
      command("Open the portfolio", "tokens balance"),
      command("Send"),
      command("Theme: dark"),
      command("Sign out"),
      command("Réglages du compte"),
      command("接続を設定する"),
    ],
    query,
  ).map(({ label }) => label);

describe("filterCommands()", () => {
  it("returns all commands for an empty query", () => {
    expect(labels("  ")).toHaveLength(6);
  });

  it("matches word prefixes, in any order and case", () => {
    expect(labels("PORT op")).toEqual(["Open the portfolio"]);
    expect(labels("ortfolio")).toEqual([]);
  });

  it("matches keywords too", () => {
    expect(labels("bal")).toEqual(["Open the portfolio"]);
  });

  it("matches without accents, and within texts that have no spaces between words", () => {
    expect(labels("reglages")).toEqual(["Réglages du compte"]);
    expect(labels("RÉG")).toEqual(["Réglages du compte"]);
    expect(labels("設定")).toEqual(["接続を設定する"]);
    expect(labels("設備")).toEqual([]);
  });

  it("lists commands first whose label starts with the query", () => {
    expect(labels("s")).toEqual(["Send", "Sign out"]);
  });
});

it("groupCommands() keeps the order of commands within groups, and puts the group of the first command first", () => {
  const grouped = (key: string, group?: string) => ({
    key,
    label: key,
    ...(group !== undefined && { group }),
    run: () => {},
  });
  const groups = groupCommands([
    grouped("Block 5", "Explorer"),
    grouped("Send", "Pages"),
    grouped("Block 50", "Explorer"),
    grouped("other"),
  ]);
  expect(groups.map(({ label, commands }) => [label, commands.map(({ key }) => key)])).toEqual([
    ["Explorer", ["Block 5", "Block 50"]],
    ["Pages", ["Send"]],
    [undefined, ["other"]],
  ]);
});
