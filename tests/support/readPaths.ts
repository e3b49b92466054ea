import type { JsonObject, JsonValue } from "@purse/protocol";
import { type Attempt, type AttemptAnswer, TRANSPORTS, type Transport } from "./attempts.ts";

/** An object to protect, and its field with a secret. */
export interface ReadTarget {
  className: string;
  objectId: string;
  field: string;
}

/** An object that refers to a target in every possible way. Its class is `holderClassOf(target)`. */
export interface Holder {
  className: string;
  objectId: string;
}

/** A request that may reach a target: its response must not depend on `guess`. */
export type ReadPath = readonly [title: string, attempt: (guess: string) => Attempt];

export function holderClassOf({ className }: Pick<ReadTarget, "className">): string {
  return `Holds_${className}`;
}

/** Cloud code with a function that reads the holders of a class as its caller. */
export const HOLDERS_FUNCTION = `
Parse.Cloud.define("holders", async ({ params, user }) => {
  const query = new Parse.Query(params.className).include(params.include);
  return query.find(user ? { sessionToken: user.getSessionToken() } : {});
});
`;

/** The way through `HOLDERS_FUNCTION`. */
export function pathByFunction({ className }: Holder, include: string): ReadPath {
  const params = { className, include };
  return [
    `a function that includes ${include}`,
    () => ({ method: "POST", path: "/functions/holders", params, codes: [] }),
  ];
}

/** Number of paths that are tried at the same time. */
const CONCURRENCY = 4;

/** The class of guesses, so that `$select` can compare them with the field of a target. */
export const GUESSES = "Guess";

export function pointerTo({ className, objectId }: Holder): JsonObject {
  return { __type: "Pointer", className, objectId };
}

/** The fields of a holder, beside `self` and `rel`. */
export function holderFields(target: ReadTarget): JsonObject {
  const pointer = pointerTo(target);
  return {
    ptr: pointer,
    list: [pointer, "text"],
    box: { p: pointer, deep: { p: pointer }, list: [pointer] },
    targetId: target.objectId,
    rel: { __op: "AddRelation", objects: [pointer] },
  };
}

/** All paths by which a query may reach an object. */
export function readPaths(target: ReadTarget, holder: Holder): ReadPath[] {
  const { className, objectId, field } = target;
  const H = `/classes/${holder.className}`;
  const get = (path: string, params: JsonObject = {}): Attempt => ({
    method: "GET",
    path,
    params,
    codes: [],
  });
  const within = (guess: string, more: JsonObject = {}): JsonObject => ({
    className,
    where: { [field]: guess },
    ...more,
  });
  const branches = (where: JsonObject): JsonObject[] => [where, { objectId: "none" }];
  const holders = (title: string, where: (guess: string) => JsonValue): ReadPath[] => [
    [title, (guess) => get(H, { where: where(guess) })],
    [`${title}, counted`, (guess) => get(H, { where: where(guess), count: 1, limit: 0 })],
  ];
  const including = (title: string, params: JsonObject): ReadPath[] => [
    [`${title} of a find`, () => get(H, params)],
    [`${title} of a get`, () => get(`${H}/${holder.objectId}`, params)],
  ];
  return [
    ["find", () => get(`/classes/${className}`)],
    ["get", () => get(`/classes/${className}/${objectId}`)],
    ["find by the field", (guess) => get(`/classes/${className}`, { where: { [field]: guess } })],
    [
      "find by a pattern of the field",
      (guess) => get(`/classes/${className}`, { where: { [field]: { $regex: `^${guess}` } } }),
    ],
    [
      "count by the field",
      (guess) => get(`/classes/${className}`, { where: { [field]: guess }, count: 1, limit: 0 }),
    ],
    [
      "find with a branch on the field",
      (guess) => get(`/classes/${className}`, { where: { $or: [{ [field]: guess }, { objectId: "none" }] } }),
    ],
    ["find in the order of the field", () => get(`/classes/${className}`, { order: field })],
    ["explained find", (guess) => get(`/classes/${className}`, { where: { [field]: guess }, explain: true })],
    ["find with keys", () => get(`/classes/${className}`, { keys: field })],
    [
      "find of what relates to a holder",
      () =>
        get(`/classes/${className}`, { where: { $relatedTo: { object: pointerTo(holder), key: "rel" } } }),
    ],
    ["aggregate", (guess) => get(`/aggregate/${className}`, { pipeline: [{ $match: { [field]: guess } }] })],
    ["distinct", () => get(`/aggregate/${className}`, { distinct: field })],
    [
      "$lookup",
      () =>
        get(`/aggregate/${holder.className}`, {
          pipeline: [
            { $lookup: { from: className, localField: "targetId", foreignField: "_id", as: "found" } },
          ],
        }),
    ],
    [
      "$lookup in a $facet",
      () =>
        get(`/aggregate/${holder.className}`, {
          pipeline: [
            {
              $facet: {
                a: [
                  { $lookup: { from: className, localField: "targetId", foreignField: "_id", as: "found" } },
                ],
              },
            },
          ],
        }),
    ],
    ...including("include", { include: "ptr" }),
    ...including("include of a list", { include: "list" }),
    ...including("include in an object", { include: "box.p" }),
    ...including("include deep in an object", { include: "box.deep.p" }),
    ...including("include of a list in an object", { include: "box.list" }),
    ...including("include of everything", { include: "*" }),
    ...including("includeAll", { includeAll: true }),
    ...including("include by an included object", { include: "self.ptr,self.list,self.self.box.p" }),
    ...including("include by keys", { keys: `ptr.${field}` }),
    [
      "redirectClassNameForKey",
      (guess) => get(H, { redirectClassNameForKey: "ptr", where: { [field]: guess } }),
    ],
    ["redirectClassNameForKey without a where", () => get(H, { redirectClassNameForKey: "ptr" })],
    [
      "redirectClassNameForKey, counted",
      (guess) => get(H, { redirectClassNameForKey: "ptr", where: { [field]: guess }, count: 1, limit: 0 }),
    ],
    [
      "redirectClassNameForKey by a relation",
      (guess) => get(H, { redirectClassNameForKey: "rel", where: { [field]: guess } }),
    ],
    ...holders("$inQuery", (guess) => ({ ptr: { $inQuery: within(guess) } })),
    ...holders("$notInQuery", (guess) => ({ ptr: { $notInQuery: within(guess) } })),
    ...holders("$inQuery on a list", (guess) => ({ list: { $inQuery: within(guess) } })),
    ...holders("$select", (guess) => ({ targetId: { $select: { key: "objectId", query: within(guess) } } })),
    ...holders("$dontSelect", (guess) => ({
      targetId: { $dontSelect: { key: "objectId", query: within(guess) } },
    })),
    ...holders("$inQuery in a branch", (guess) => ({ $or: branches({ ptr: { $inQuery: within(guess) } }) })),
    ...holders("$inQuery in a denied branch", (guess) => ({
      $nor: branches({ ptr: { $inQuery: within(guess) } }),
    })),
    ...holders("$inQuery in an $inQuery", (guess) => ({
      self: { $inQuery: { className: holder.className, where: { ptr: { $inQuery: within(guess) } } } },
    })),
    ...holders("$inQuery that is redirected", (guess) => ({
      ptr: { $inQuery: within(guess, { className: holder.className, redirectClassNameForKey: "ptr" }) },
    })),
    ...holders("$inQuery in the order of the field", (guess) => ({
      ptr: {
        $inQuery: { className, where: { [field]: { $lte: guess } }, order: `-${field}`, limit: 1 },
      },
    })),
    ...holders("$relatedTo", () => ({ $relatedTo: { object: pointerTo(target), key: "users" } })),
    [
      "$select of the field",
      (guess) =>
        get(`/classes/${GUESSES}`, {
          where: { name: { $select: { key: field, query: { className, where: {} } }, $eq: guess } },
          count: 1,
          limit: 0,
        }),
    ],
    [
      "$dontSelect of the field",
      (guess) =>
        get(`/classes/${GUESSES}`, {
          where: { name: { $dontSelect: { key: field, query: { className, where: {} } }, $eq: guess } },
          count: 1,
          limit: 0,
        }),
    ],
  ];
}

/** The responses of a path for a right and a wrong guess, which are one response if the path sends no guess. */
export interface GuessedAnswers {
  path: string;
  right: AttemptAnswer;
  wrong: AttemptAnswer;
}

/** Tries every path, by every transport unless others are given for it; returns the responses for a right and a wrong guess. */
export async function tryEach(
  paths: readonly ReadPath[],
  guesses: { right: string; wrong: string },
  send: (transport: Transport, attempt: Attempt) => Promise<AttemptAnswer>,
  transportsOf: (pathIndex: number) => readonly Transport[] = () => TRANSPORTS,
): Promise<GuessedAnswers[]> {
  const tried = paths.flatMap(([title, attempt], i) => {
    const [right, wrong] = [attempt(guesses.right), attempt(guesses.wrong)];
    const sendsGuess = JSON.stringify(right) !== JSON.stringify(wrong);
    return transportsOf(i).map((transport) => async (): Promise<GuessedAnswers> => {
      const answer = await send(transport, right);
      return {
        path: `${transport}: ${title}`,
        right: answer,
        wrong: sendsGuess ? await send(transport, wrong) : answer,
      };
    });
  });
  const answers: GuessedAnswers[] = [];
  for (let i = 0; i < tried.length; i += CONCURRENCY) {
    answers.push(...(await Promise.all(tried.slice(i, i + CONCURRENCY).map((each) => each()))));
  }
  return answers;
}
