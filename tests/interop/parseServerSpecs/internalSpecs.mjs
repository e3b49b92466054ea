/*
 * Specs of Parse Server that cannot pass over HTTP, because what they check is inside of the process of their server.
 * A spec that fails is internal if it needs something of Parse Server's modules that no request does (`InternalAccess`), or
 * if one of these rules names it. Others that fail have failed.
 */

import { ACCOUNT_SPECS } from "./internalAccountSpecs.mjs";

/** Specs that fail because of what their text does, in any file. */
const BY_TEXT = [
  { uses: /spyOn\((?:logger|console|loggerController|\w+\.logger)\b/, why: "watches the log of the process" },
  { uses: /\bcacheAdapter\b|AppCache|CacheController/, why: "reads the cache of the process" },
  {
    uses: /createFileSpy|FilesController\.prototype|filesAdapter: mockAdapter/,
    why: "watches calls of the files adapter",
  },
  {
    uses: /getUserRoles|testLoadRoles\(/,
    why: "calls the method that collects roles, and counts its queries",
  },
  {
    uses: /new ParseServer\(|ParseServer\.(?:start|promiseRouter)/,
    why: "starts a server in its own process",
  },
  { uses: /\bRESTController\b/, why: "calls the REST controller of the process" },
  { uses: /new ParseGraphQLController\(/, why: "calls the GraphQL controller of the process" },
  { uses: /\bserver\.app\.parent\b/, why: "reads the settings of the HTTP server of the process" },
  { uses: /\bParse\.Server\.database\b/, why: "calls the database controller of the process" },
  { uses: /adapter\s*\.\s*(?:ensureUniqueness|ensureIndex|createIndex)/, why: "calls the database adapter" },
  { uses: /spyOn\([\w.]+\.prototype/, why: "watches methods of Parse Server's classes" },
];

/** Cloud code of specs runs in their process, and its definitions are sent to Purse, which refuses them later. */
const DEFINITION = "expects an exception where cloud code defines something, which no client sees";

/** Specs that fail because of something else in Parse Server's process, by file and part of their title. */
const BY_TITLE = {
  ...ACCOUNT_SPECS,
  CloudCode: [
    {
      titles: ["beforeDelete(Parse.File)  should call with", "afterDelete(Parse.File)  should call with"],
      why: "expects the URL of the files adapter of the spec",
    },
    { titles: ["can get config", "can get curent version"], why: "reads the configuration of the process" },
    { titles: ["should validate triggers correctly"], why: DEFINITION },
  ],
  "CloudCode.Validator": [
    { titles: ["Logs on invalid config", "Logs on multiple invalid configs"], why: DEFINITION },
  ],
  index: [
    {
      titles: [
        "should throw when getting invalid mount",
        "fails if the session length is",
        "fails if maxLimit is negative",
        "fails if you try to set revokeSessionOnPasswordReset",
        "fails if you provides invalid ip in masterKeyIps",
      ],
      why: "checks the text of a start that is refused",
    },
    {
      titles: [
        "can create a parse-server v",
        "should load a middleware",
        "can call start",
        "can get starting",
      ],
      why: "starts a server in its own process",
    },
    { titles: ["properly gives publicServerURL"], why: "reads the configuration of the process" },
  ],
  ParseInstallation: [
    { titles: ["can use push with beforeSave"], why: "sends to the push adapter of the process" },
  ],
  ParseUser: [
    {
      titles: ["should accept true value", "should accept false value", "should default false"],
      why: "reads the configuration of the process",
    },
    {
      titles: ["anonymous users should not fail on case insensitive"],
      why: "sets the random texts of the process",
    },
  ],
  Schema: [
    { titles: ["refuses to delete invalid fields"], why: "calls a method with a class that does not exist" },
    {
      titles: ["drops related collection when", "can delete relation field when related _Join"],
      why: "asks for the tables of the database adapter",
    },
    {
      titles: ["volatile _Schemas", "null field types", "ensureFields should throw"],
      why: "calls methods of the schema controller that no request calls",
    },
  ],
  batch: [
    { titles: ["a batch request", "separate session"], why: "watches the arguments of the database adapter" },
  ],
};

/** Specs that send nothing to the server, or what they check is not an answer: they are internal even if they pass. */
const UNSENT = {
  batch: [{ titles: ["should return the proper url"], why: "calls a function that splits paths" }],
};

/** Specs that do not run: they check texts of options at the start, one start after the other for minutes. */
const SKIPPED = /for \(const \w+ of \w+\) \{\s*await expectAsync\(\s*reconfigureServer\(/;
const START_CHECK = /expectAsync\(\s*reconfigureServer\(/;

/** They do not run either: some wait for what the controller of the process stores, without an end. */
const PUSH_CONTROLLER = /new PushController\(/;

/** Whether a spec must not run, since its time would end while it starts servers, which would fail those after it. */
export function isSkipped(_title, text) {
  return SKIPPED.test(text) || PUSH_CONTROLLER.test(text);
}

/**
 * Returns why a spec is internal; undefined if it is not.
 * @param file the name of the file without `.spec.js`
 * @param title the full title
 * @param text the source of its function
 */
export function internalReason(file, title, text, hasFailed, messages) {
  const named = (rules) =>
    rules[file]?.find(({ titles }) => titles.some((each) => title.includes(each)))?.why;
  const unsent = named(UNSENT);
  if (unsent !== undefined) return unsent;
  if (PUSH_CONTROLLER.test(text)) return "calls the push controller of the process";
  if (isSkipped(title, text)) return "checks the options of a start, several in a row";
  if (!hasFailed) return undefined;
  const access = messages.map((each) => /InternalAccess: ([\w.]+(?: \w+)?)/.exec(each)?.[1]).find(Boolean);
  if (access !== undefined) return `asks the process for ${access}`;
  if (START_CHECK.test(text)) return "checks the options of a start";
  return named(BY_TITLE) ?? BY_TEXT.find(({ uses }) => uses.test(text))?.why;
}
