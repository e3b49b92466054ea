import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "../../../test/postgresDatabase.ts";
import { compileRegex } from "../../core/regex.ts";
import { postgresPattern } from "./regex.ts";

const TEXTS = [
  ...[
    "",
    "a",
    "A",
    "b",
    "abc",
    "ABC",
    "a\n",
    "\na",
    "a\nb",
    "a b",
    "a\tb",
    "a\vb",
    "a_b",
    "a-b",
    "a]b",
    "a^b",
  ],
  ...[
    "1",
    "42",
    "٣",
    "é",
    "É",
    "straße",
    "STRASSE",
    "ẞ",
    "σ",
    "ς",
    "Σ",
    "k",
    "K",
    "\u212a",
    "s",
    "ſ",
    "İ",
    "ı",
  ],
  ...[
    "漢字",
    "かな",
    "中国123",
    "Ελλάδα",
    "Привет",
    "привет",
    "😀",
    "a😀b",
    "𐐀",
    "𐐨",
    "\u00a0",
    "\u2028",
    "e\u0301",
  ],
  ...["{", "}", "x".repeat(300), "(a)", "a.b", "\\", "#", "a#b", "Date", "update", "***a", "\x01", "ab\ncd"],
];

const PATTERNS: readonly (string | readonly [source: string, flags: string])[] = [
  // Classes by Unicode property.
  ...["^\\p{Han}", "\\p{L}", "^\\P{L}+$", "\\pL\\pN", "[\\p{Greek}\\d]", "[^\\p{L}]", "\\p{Lu}", "\\p{^Lu}"],
  ...[
    "\\p{Hiragana}+",
    "^\\p{Cyrillic}+$",
    "\\p{So}",
    "\\p{M}",
    "\\pZ",
    "[[:^alpha:]]",
    "[\\P{Han}]",
    "\\p{Any}",
  ],
  ["\\p{Lu}", "i"],
  ["^[\\p{Lu}]+$", "i"],
  ["\\p{Cyrillic}", "u"],
  // Classes of ASCII.
  ...[
    "\\d",
    "^\\D+$",
    "\\w",
    "\\W",
    "\\s",
    "^\\S+$",
    "[\\d\\s]",
    "[^\\s]",
    "[\\W]",
    "[^\\w]",
    "[[:alpha:]]",
    "[[:word:]-]",
  ],
  ...[
    "\\bDate\\b",
    "\\Bdate",
    "\\B",
    "\\b",
    "[]a]",
    "[^]a]",
    "[a\\]^]",
    "[\\^a]",
    "[-a]",
    "[a-]",
    "[\\x{1F600}-\\x{1F64F}]",
  ],
  // Line ends and positions.
  ...[
    "^a$",
    "a$",
    "^b",
    "a.b",
    "a[^x]b",
    "\\Aa",
    "a\\z",
    "(?m)^b",
    "(?m)a$",
    "(?s)a.b",
    "(?m:^b)",
    "a(?s:.)b",
    "(?m)\\Ab",
  ],
  ...["(?m:^)b$", "(?-s)a.b", "^$", "$^", "(?:^)*a", "^*a", "\\b+a", "$?a", "()a", "(|a)b", "a||b", "(?:)"],
  ["^b$", "m"],
  ["a$", "m"],
  ["(?-m:a$)", "m"],
  ["a.b", "s"],
  ["^b", "ms"],
  ["(?-s:a.b)", "s"],
  // Case.
  ["abc", "i"],
  ["É", "i"],
  ["strasse|straße", "i"],
  ["ß", "i"],
  ["σ", "i"],
  ["[σ]", "i"],
  ["k", "i"],
  ["[a-k]", "i"],
  ["[^k]", "i"],
  ["S", "i"],
  ["İ", "i"],
  ["привет", "i"],
  ["𐐀", "i"],
  ...["(?i)abc", "(?i:a)bc", "a(?i)bc", "(?:(?i)a)bc", "(?i)a(?-i)BC", "(?i:σ)"],
  // Whitespace and comments.
  ["a b c # comment", "x"],
  ["a\\ b", "x"],
  ["a\\#b", "x"],
  // Groups, quantifiers, literals.
  ...[
    "(?P<first>a)b",
    "(?<first>a)b",
    "(a)(b)?c",
    "a{2}",
    "^x{300}$",
    "^x{255,}$",
    "x{299,301}",
    "^x{0,300}$",
    "(?:xx){150}",
  ],
  ...[
    "x{301}",
    "x{1,}?",
    "a+?",
    "a*?b",
    "(?U)a+",
    "{",
    "}",
    "\\{2\\}",
    "{,2}",
    "a{",
    "\\Q(a)\\E",
    "\\Qa.\\Eb",
    "^\\Q***\\E",
  ],
  ...[
    "a\\.b",
    "\\\\",
    "\\x61",
    "\\x{6f22}",
    "\\141",
    "\\t",
    "\\v",
    "\\x01",
    "[\\x{0}-\\x{10FFFF}]",
    "[^\\x{0}-\\x{10FFFF}]",
  ],
  ...["[\\s\\S]", "^.$", "^..$", "a😀", "[😀a]b", "#", "a\\-b", "\\*{3}", "[\\d\\D]{2}"],
];

describe("a pattern on PostgreSQL", () => {
  let sql: postgres.Sql;
  beforeAll(async () => {
    sql = postgres(await createDatabase(), { max: 1, onnotice: () => undefined });
  });
  afterAll(() => sql.end());

  it.each(PATTERNS.map((each) => (typeof each === "string" ? ([each, ""] as const) : each)))(
    "finds the same texts as elsewhere: %j with the flags %j",
    async (source, flags) => {
      const matches = compileRegex(source, flags);
      const rows = await sql<{ place: number }[]>`
        SELECT place::int4 FROM unnest(${TEXTS}::text[]) WITH ORDINALITY AS given(value, place)
        WHERE (value COLLATE "C") ~ ${postgresPattern(source, flags)} ORDER BY place`;
      const found = rows.map(({ place }) => TEXTS[place - 1]);
      expect(found, postgresPattern(source, flags)).toEqual(TEXTS.filter((text) => matches(text)));
    },
  );

  it.each([
    "(?<=a)b",
    "(?=a)",
    "(?!a)",
    "(?>a)",
    "a*+",
    "a++",
    "(a)\\1",
    "\\p{Nonsense}",
    "\\y",
    "a\\Z",
    "\\G",
    "a**",
  ])("%j is refused as elsewhere", (source) => {
    expect(() => compileRegex(source, "")).toThrow(expect.objectContaining({ code: 102 }));
    expect(() => postgresPattern(source, "")).toThrow(expect.objectContaining({ code: 102 }));
  });
});
