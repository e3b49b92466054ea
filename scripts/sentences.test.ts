import { expect, it } from "vitest";
import { longSentences } from "./sentences.ts";

const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i}`).join(" ");

it("longSentences() finds sentences of more than thirty words, also across lines, in items and in cells", () => {
  const page = `# Title\n\n${words(20)}\n${words(11)}.\n\n- ${words(30)}.\n\n| a | ${words(31)} |\n`;
  expect(longSentences(page).map(({ line, words: count }) => [line, count])).toEqual([
    [3, 31],
    [8, 31],
  ]);
});

it("longSentences() counts code, links and quoted titles as they are read, and leaves out blocks and comments", () => {
  const page = [
    `${words(29)} \`${words(9)}\`.`,
    `${words(29)} [one](https://purse.example/${"x".repeat(9)}).`,
    `${words(29)} *${words(9)}*.`,
    `${words(29)}: ${words(29)}.`,
    `<!-- ${words(40)} -->`,
    `\`\`\`sh\n${words(40)}\n\`\`\``,
  ].join("\n\n");
  expect(longSentences(page)).toEqual([]);
});
