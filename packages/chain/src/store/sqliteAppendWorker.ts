import { serveRequests } from "@purse/workers";
import type Database from "better-sqlite3";
import { CheckpointConflictError } from "./indexWriter.ts";
import { openSqliteFile } from "./sqliteFile.ts";
import { type EncodedBlocks, SqliteNewBlocks } from "./sqliteNewBlocks.ts";

/** Blocks to append after the one with a hash; undefined if the index has none. */
export interface AppendRequest {
  path: string;
  parentHash: string | undefined;
  blocks: EncodedBlocks;
}

/** `conflict` is the reason why another block is the latest. */
export type AppendResponse = { conflict: string } | undefined;

interface OpenFile {
  db: Database.Database;
  newBlocks: SqliteNewBlocks;
}

/** 128 MiB. */
const CHECKPOINT_PAGES = 32_768;
/** Bytes to which the write-ahead log is cut after a checkpoint. */
const MAX_KEPT_WAL = 32 * 1024 * 1024;

const files = new Map<string, OpenFile>();

function open(path: string): OpenFile {
  const db = openSqliteFile(path);
  // Most pages of indexes change with every range: fewer checkpoints write each of them less often.
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  db.pragma(`journal_size_limit = ${MAX_KEPT_WAL}`);
  const opened = { db, newBlocks: new SqliteNewBlocks(db) };
  files.set(path, opened);
  return opened;
}

function handle({ path, parentHash, blocks }: AppendRequest): AppendResponse {
  const { db, newBlocks } = files.get(path) ?? open(path);
  try {
    db.transaction(() => newBlocks.append(parentHash, blocks)).immediate();
    return undefined;
  } catch (error) {
    if (error instanceof CheckpointConflictError) return { conflict: error.message };
    throw error;
  }
}

serveRequests<AppendRequest, AppendResponse>({ handle });
