/*
 * Specs about accounts, mails, keys and limits that check what is inside of the process of Parse Server, by file and
 * part of their title. They are internal only if they fail.
 */

const START_CHECK = "checks the text that a start in its process throws for an option of a wrong type";
const USER_CONTROLLER = "calls the user controller of the process";
const STORED_TOKEN = "reads the token of a mail from the database, where Purse stores a hash";

export const ACCOUNT_SPECS = {
  AccountLockoutPolicy: [
    { titles: ["throw error if duration", "throw error if threshold"], why: START_CHECK },
  ],
  PasswordPolicy: [
    {
      titles: [
        "should throw with invalid resetTokenReuseIfValid",
        "should fail if passwordPolicy.resetTokenValidityDuration is",
        "should fail if passwordPolicy.validatorPattern setting is invalid type",
        "should fail if passwordPolicy.validatorCallback setting is invalid type",
        "should fail if passwordPolicy.doNotAllowUsername is not a boolean value",
        "should fail if passwordPolicy.maxPasswordAge is",
        "should fail if passwordPolicy.maxPasswordHistory is",
      ],
      why: START_CHECK,
    },
    {
      titles: ["should not infinitely loop if maxPasswordHistory is 1"],
      why: "reads the hashes of earlier passwords from the database",
    },
  ],
  EmailVerificationToken: [
    { titles: ["should throw with invalid emailVerifyTokenReuseIfValid"], why: START_CHECK },
    {
      titles: [
        "sets the _email_verify_token_expires_at and _email_verify_token fields",
        "setting the email on the user should set a new email verification token",
        "should send a new verification email when a resend is requested and the user is UNVERIFIED",
        "should match codes with emailVerifyTokenReuseIfValid",
      ],
      why: STORED_TOKEN,
    },
  ],
  ValidationAndPasswordsReset: [
    { titles: ["should set the custom pages"], why: "reads the addresses of pages from the configuration" },
  ],
  UserController: [{ titles: ["uses publicServerURL", "uses parseFrameURL"], why: STORED_TOKEN }],
  ParseLiveQuery: [
    { titles: ["should execute live query update on email validation"], why: USER_CONTROLLER },
  ],
  "ParseQuery.FullTextSearch": [
    {
      titles: ["$diacriticSensitive - false", "$caseSensitive"],
      why: "expects what the PostgreSQL adapter of Parse Server lacks beside the one for MongoDB",
    },
  ],
  PurchaseValidation: [
    {
      titles: ["should bypass appstore validation"],
      why: "skips the App Store by a variable of the process that runs its own tests",
    },
    { titles: ["should fail at appstore validation"], why: "asks the App Store on the internet" },
  ],
  RegexVulnerabilities: [
    {
      titles: [
        "on verify e-mail should work with plain token",
        "on password reset should work with plain token",
      ],
      why: STORED_TOKEN,
    },
  ],
  Idempotency: [
    {
      titles: ["should re-throw any other error unchanged"],
      why: "replaces a function of the process that writes the record of a request",
    },
    {
      titles: ["should delete request entry after TTL"],
      why: "deletes the record of a request in place of waiting until it expires",
    },
  ],
  ParseAPI: [
    {
      titles: ["ensure that if people already have duplicate"],
      why: "stores users with the same name by the database adapter",
    },
  ],
  AuthenticationAdaptersV2: [
    {
      titles: ["in case of more than one result"],
      why: "replaces a function of the process that finds users",
    },
  ],
  AudienceRouter: [
    {
      titles: ["uses find condition from request.", "query installations with"],
      why: "calls methods of a router of the process",
    },
  ],
  RateLimit: [
    { titles: ["can validate rateLimit"], why: "calls the function that checks the option" },
    { titles: ["can use global zone"], why: "calls the middleware with requests of its own" },
    {
      titles: ["does not limit internal calls"],
      why: "calls functions within the process, where cloud code of specs does not run",
    },
  ],
  SecurityCheck: [{ titles: ["throws on invalid configuration"], why: START_CHECK }],
  "Parse.Push": [
    {
      titles: [
        "should properly send push",
        "should not allow clients to query _PushStatus",
        "should allow master key to query _PushStatus",
        "does not get stuck with _PushStatus 'running'",
      ],
      why: "sends with a push adapter of the process",
    },
  ],
  RestQuery: [
    {
      titles: ["query non-existent class when disabled client class creation"],
      why: "passes a changed copy of the configuration to a function",
    },
  ],
  vulnerabilities: [
    {
      titles: ["existing sessions for users with poisoned object ID"],
      why: "stores a user with such an id by the database controller, since no request can",
    },
  ],
  rest: [
    {
      titles: [
        "handles create on non-existent class when disabled client class creation",
        "handles no anonymous users config",
      ],
      why: "passes a changed copy of the configuration to a function",
    },
    {
      titles: ["properly throws on rest.create, rest.update and rest.del"],
      why: "a function of the process throws before anything is sent",
    },
    {
      titles: [
        "should throw when masterKey and readOnlyMasterKey are the same",
        "should throw when masterKey and maintenanceKey are the same",
      ],
      why: START_CHECK,
    },
  ],
};
