/*
 * Limits for requests of clients, all in one file. docs/reference/limits.md lists them with the resulting errors. Lengths of text
 * are in UTF-16 code units, as `String.length` counts them.
 */

/** Nesting depth of values; deeper ones are rejected before any recursion. */
export const MAX_DEPTH = 64;
/** Keys of one object in JSON, for every client: objects with more take very long to parse and to copy. */
export const MAX_OBJECT_KEYS = 50_000;
/** Fields of one save. */
export const MAX_FIELDS = 1_000;
/** Length of an object as JSON; updates that exceed it are rejected. */
export const MAX_OBJECT_LENGTH = 32 * 1024 * 1024;

/** Nulls that a write to an item beyond the end of an array adds before it. */
export const MAX_ARRAY_PADDING = 1_000;

/** Names of classes, fields and roles. */
export const MAX_NAME_LENGTH = 128;
/** Length of a date as text, in any format. */
export const MAX_DATE_LENGTH = 64;
/** A dotted path: a field and the keys of nested objects. */
export const MAX_PATH_LENGTH = 2_048;
export const MAX_PATH_SEGMENTS = 17;
/** Length of the object ids in pointers. */
export const MAX_OBJECT_ID_LENGTH = 256;
export const MAX_USERNAME_LENGTH = 256;
/** RFC 5321: 64 characters before the @ and 255 after it. */
export const MAX_EMAIL_LENGTH = 320;
/** Length of session tokens sent by clients. */
export const MAX_SESSION_TOKEN_LENGTH = 256;
export const MAX_INSTALLATION_ID_LENGTH = 128;
/** Length of the ids that clients assign to their own requests: of writes and of live queries. */
export const MAX_REQUEST_ID_LENGTH = 200;
/** Length of the device identifiers of push services; web push subscriptions are the longest. */
export const MAX_DEVICE_TOKEN_LENGTH = 4_096;
export const MAX_CHANNEL_LENGTH = 128;
/** Channels of one installation. */
export const MAX_CHANNELS = 200;
/** Length of the user ids of authentication providers. */
export const MAX_AUTH_ID_LENGTH = 512;
/** Users and roles in one ACL. */
export const MAX_ACL_ENTRIES = 10_000;

export const MAX_WHERE_DEPTH = 12;
/** Conditions of a where including nested ones; an empty branch counts as one. */
export const MAX_WHERE_CONDITIONS = 1_000;
/**
 * Conditions of a where that iterate over array items, also those of paths that may run through arrays. `$in`, `$nin`
 * and `$all` count as one each, regardless of the number of values.
 */
export const MAX_ARRAY_TESTS = 20;
/** Operands of `$in`, `$nin`, `$containedBy` and `$all` in a where, summed over all lists. */
export const MAX_IN_OPERANDS = 20_000;
/** Keys and items of the objects and arrays that a where compares with, summed over all of them. */
export const MAX_COMPARED_VALUES = 5_000;
/** Sub-queries in one where, including nested ones. */
export const MAX_SUB_QUERIES = 8;
export const MAX_REGEX_LENGTH = 1_000;
/** Regular expressions and text searches of one where. */
export const MAX_PATTERNS = 100;
/** Total length of all patterns in a where. */
export const MAX_PATTERN_TEXT = 10_000;
/**
 * Total number of instructions that the patterns of a where compile to. Repetitions expand a few characters to many
 * instructions.
 */
export const MAX_PATTERN_SIZE = 4_000;
/** Points of a polygon in a where. */
export const MAX_POLYGON_POINTS = 1_000;
export const MAX_ORDER_KEYS = 32;
export const MAX_INCLUDE_PATHS = 100;
/**
 * Pointers that one response replaces with their objects. An object that is included several times counts each time.
 */
export const MAX_INCLUDED_OBJECTS = 100_000;
/** Fields in `keys` and in `excludeKeys`. */
export const MAX_KEYS = 1_000;

/** Objects in one AddRelation or RemoveRelation, or in all operations of a Batch. */
export const MAX_RELATION_OBJECTS = 20_000;
/** Operations in one Batch on a relation. */
export const MAX_BATCH_OPERATIONS = 100;
