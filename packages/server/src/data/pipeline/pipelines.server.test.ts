import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type InProcessServer, startInProcess } from "../../../test/inProcessServer.ts";
import { Digits, type Expected } from "../../../test/pipelines/caseValues.ts";
import { COLLECTIONS } from "../../../test/pipelines/collections.ts";
import { DOCUMENT, EXPRESSION_CASES, PLAIN_EXPRESSIONS } from "../../../test/pipelines/expressionCases.ts";
import { MATCH_CASES, NULL_ITEM_CASES } from "../../../test/pipelines/matchCases.ts";
import { STAGE_CASES } from "../../../test/pipelines/stageCases.ts";
import { createDatabase, dropDatabase } from "../../../test/postgresDatabase.ts";
import { DATABASES } from "../../../test/storeCopies.ts";

const MASTER_KEY = "test-master-key";
/** Expressions that are evaluated by one request. */
const AT_ONCE = 50;

/** Requests of the tables run several at a time, as they do from clients. */
const CONCURRENT = 4;

describe.each(DATABASES)("pipelines on %s", (database) => {
  let server: InProcessServer;
  let url: string | undefined;

  beforeAll(async () => {
    url = database === "PostgreSQL" ? await createDatabase() : undefined;
    server = await startInProcess({
      PURSE_MASTER_KEY: MASTER_KEY,
      PURSE_ALLOW_CUSTOM_OBJECT_ID: "1",
      ...(url !== undefined && { PURSE_DATABASE_URL: url, PURSE_DATABASE_CONNECTIONS: "4" }),
    });
    for (const [className, objects] of Object.entries({ ...COLLECTIONS, Holder: [{ document: DOCUMENT }] })) {
      for (const object of objects) {
        const { status, text } = await send("POST", `/classes/${className}`, object);
        if (status !== 201) throw new Error(text);
      }
    }
  });
  afterAll(async () => {
    await server?.remove();
    if (url !== undefined) await dropDatabase(url);
  });

  async function send(method: string, path: string, body: JsonObject) {
    const response = await fetch(`${server.url}/server${path}`, {
      method,
      headers: {
        "Content-Type": "application/json",
        "X-Parse-Application-Id": "test",
        "X-Parse-Master-Key": MASTER_KEY,
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  }

  interface Answer {
    text: string;
    results: JsonValue[];
    error: string;
  }

  async function run(className: string, pipeline: JsonObject[]): Promise<Answer> {
    const { status, text } = await send("POST", `/aggregate/${className}`, { _method: "GET", pipeline });
    const { results = [], error = "", code }: JsonObject = JSON.parse(text);
    const isExpected = status === 200 ? Array.isArray(results) : status === 400 && code === 102;
    if (!isExpected) throw new Error(`${status}: ${text}`);
    return { text, results: Array.isArray(results) ? results : [], error: String(error) };
  }

  /** Runs a check of each case, a few at a time, and returns what is wrong, with the case before it. */
  async function problemsOf<Case>(
    cases: readonly Case[],
    titleOf: (each: Case) => JsonValue,
    check: (each: Case) => Promise<void>,
  ): Promise<string[]> {
    const problems: string[] = [];
    const waiting = [...cases];
    const work = async () => {
      for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
        const title = JSON.stringify(titleOf(each));
        await check(each).catch((error: unknown) => problems.push(`${title}: ${String(error)}`));
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT }, work));
    return problems;
  }

  const expressions = [...Object.values(EXPRESSION_CASES).flat(), ...PLAIN_EXPRESSIONS];
  const onDocument = { $replaceWith: "$document" };

  it("return the values of the table of expressions", async () => {
    const valid = expressions.filter(([, expected]) => !(expected instanceof RegExp));
    const chunks = Array.from({ length: Math.ceil(valid.length / AT_ONCE) }, (_, i) =>
      valid.slice(i * AT_ONCE, (i + 1) * AT_ONCE),
    );
    const problems = await problemsOf(
      chunks,
      ([first]) => first?.[0] ?? null,
      async (chunk) => {
        const fields = Object.fromEntries(chunk.map(([expression], i) => [`value${i}`, expression]));
        const { text, results } = await run("Holder", [onDocument, { $project: fields }]);
        const [values] = results;
        for (const [i, [expression, expected]] of chunk.entries()) {
          expectValue(
            text,
            isJsonObject(values) ? values[`value${i}`] : undefined,
            `value${i}`,
            expression,
            expected,
          );
        }
      },
    );
    expect(problems).toEqual([]);
  });

  function expectValue(
    text: string,
    value: JsonValue | undefined,
    name: string,
    expression: JsonValue,
    expected: Expected,
  ): void {
    const about = JSON.stringify(expression);
    if (expected instanceof Digits)
      expect(`${text},`, about).toMatch(new RegExp(`"${name}":${escaped(expected.text)}[,}]`));
    else expect(value, about).toEqual(expected);
  }

  const escaped = (digits: string) => digits.replaceAll(/[.+]/g, "\\$&");

  it("return the errors of the table of expressions as 102", async () => {
    const problems = await problemsOf(
      expressions,
      ([expression]) => expression,
      async ([expression, expected]) => {
        if (!(expected instanceof RegExp)) return;
        const { error } = await run("Holder", [onDocument, { $project: { value: expression } }]);
        expect(error).toMatch(expected);
      },
    );
    expect(problems).toEqual([]);
  });

  it("return the results of the table of stages", async () => {
    const problems = await problemsOf(
      STAGE_CASES,
      ({ pipeline }) => pipeline,
      async ({ from, pipeline, results, isOrdered }) => {
        const answer = await run(from, pipeline);
        if (results instanceof RegExp) expect(answer.error).toMatch(results);
        else if (results instanceof Digits) expect(answer.text).toContain(`"value":${results.text}}`);
        else {
          const found = answer.results.map(withoutTimes);
          expect(answer.error).toBe("");
          if (!isOrdered) expect(found).toHaveLength(results.length);
          expect(found).toEqual(isOrdered ? results : expect.arrayContaining(results));
        }
      },
    );
    expect(problems).toEqual([]);
  });

  it.each([
    ["by the database", MATCH_CASES, []],
    ["after another stage", MATCH_CASES, [{ $skip: 0 }]],
    ["with null in arrays, after another stage", NULL_ITEM_CASES, [{ $skip: 0 }]],
  ])("find what the table of matches has, %s", async (_, cases, before) => {
    const problems = await problemsOf(
      cases,
      ([condition]) => condition,
      async ([condition, found]) => {
        const className = cases === NULL_ITEM_CASES ? "Sale" : "Thing";
        const stages: JsonObject[] = [
          ...before,
          { $match: condition },
          { $sort: { _id: 1 } },
          { $project: { _id: 1 } },
        ];
        const { results, error } = await run(className, stages);
        if (found instanceof RegExp) expect(error).toMatch(found);
        else
          expect({ results, error }).toEqual({ results: found.map((objectId) => ({ objectId })), error: "" });
      },
    );
    expect(problems).toEqual([]);
  });
});

/** Removes what the server adds to objects. */
function withoutTimes(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutTimes);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([name]) => name !== "createdAt" && name !== "updatedAt");
  return Object.fromEntries(entries.map(([name, inner]) => [name, withoutTimes(inner)]));
}
