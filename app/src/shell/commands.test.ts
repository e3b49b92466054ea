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

describe("finding a command", () => {
  it("gives all of them while nothing is typed", () => {
    expect(labels("  ")).toHaveLength(4);
  });

  it("takes the beginnings of words, in any order and case", () => {
    expect(labels("PORT op")).toEqual(["Open the portfolio"]);
    expect(labels("ortfolio")).toEqual([]);
  });

  it("looks at other words too", () => {
    expect(labels("bal")).toEqual(["Open the portfolio"]);
  });

  it("puts those first whose name begins so", () => {
    expect(labels("s")).toEqual(["Send", "Sign out"]);
  });
});
