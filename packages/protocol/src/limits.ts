/*
 * How much a request may ask for: every bound that holds for all clients, in one place. docs/reference/limits.md lists them with
 * the error that a client gets. Lengths of text are in UTF-16 code units, as `String.length` counts them.
 */

/** Depth to which values may nest: deeper ones are refused before anything recurses into them. */
export const MAX_DEPTH = 64;
/** Fields of one save. */
export const MAX_FIELDS = 1_000;
/** Length of an object as JSON; updates that make a larger one are refused. */
export const MAX_OBJECT_LENGTH = 32 * 1024 * 1024;

/** Names of classes, fields and roles. */
export const MAX_NAME_LENGTH = 128;
/** Dates as text, however they are written. */
export const MAX_DATE_LENGTH = 64;
/** A dotted path: a field and the keys of nested objects. */
export const MAX_PATH_LENGTH = 2_048;
export const MAX_PATH_SEGMENTS = 17;
/** Ids that pointers hold. */
export const MAX_OBJECT_ID_LENGTH = 256;
export const MAX_USERNAME_LENGTH = 256;
/** RFC 5321: 64 for the part before the @, 255 after it. */
export const MAX_EMAIL_LENGTH = 320;
/** Session tokens as clients send them. */
export const MAX_SESSION_TOKEN_LENGTH = 256;
export const MAX_INSTALLATION_ID_LENGTH = 128;
/** Ids by which clients recognize their own requests: of a write, and of a live query. */
export const MAX_REQUEST_ID_LENGTH = 200;
/** What push services identify a device by; web push subscriptions are the longest. */
export const MAX_DEVICE_TOKEN_LENGTH = 4_096;
export const MAX_CHANNEL_LENGTH = 128;
/** Channels of one installation. */
export const MAX_CHANNELS = 1_000;
/** Ids that sign-in services give their users. */
export const MAX_AUTH_ID_LENGTH = 512;
/** Users and roles that one ACL names. */
export const MAX_ACL_ENTRIES = 10_000;

export const MAX_WHERE_DEPTH = 12;
/** Conditions of a where with all that is nested in it; an empty branch counts as one. */
export const MAX_WHERE_CONDITIONS = 1_000;
/** Conditions of a where that go through the items of arrays: `$in`, `$nin` and `$all` with any number of texts are one. */
export const MAX_ARRAY_TESTS = 20;
/** Operands of `$in`, `$nin`, `$containedBy` and `$all` in a where, all lists together. */
export const MAX_IN_OPERANDS = 20_000;
/** Queries nested in one where. */
export const MAX_SUB_QUERIES = 8;
export const MAX_REGEX_LENGTH = 1_000;
/** Regular expressions and text searches of one where. */
export const MAX_PATTERNS = 100;
/** Length of all patterns of a where together. */
export const MAX_PATTERN_TEXT = 10_000;
/** Instructions that the patterns of a where may compile to, all together: repetitions make many of a few characters. */
export const MAX_PATTERN_SIZE = 4_000;
/** Points of a polygon in a where. */
export const MAX_POLYGON_POINTS = 1_000;
export const MAX_ORDER_KEYS = 32;
export const MAX_INCLUDE_PATHS = 100;
/** Pointers that one answer replaces by their objects: each copy counts, as objects may be pointed to many times. */
export const MAX_INCLUDED_OBJECTS = 100_000;
/** Fields that `keys` and `excludeKeys` name. */
export const MAX_KEYS = 1_000;

/** Objects that one AddRelation or RemoveRelation names, or all of a Batch of them. */
export const MAX_RELATION_OBJECTS = 20_000;
/** Operations of one Batch on a relation. */
export const MAX_BATCH_OPERATIONS = 100;
