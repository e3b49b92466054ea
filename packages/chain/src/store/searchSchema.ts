/** FTS5 without content: the terms are stored only in the table. */
export const SQLITE_SEARCH: readonly string[] = [
  `CREATE VIRTUAL TABLE IF NOT EXISTS nft_words
    USING fts5(words, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0')`,
  `CREATE TRIGGER IF NOT EXISTS nft_words_changed AFTER UPDATE OF words ON nft_metadata BEGIN
    DELETE FROM nft_words WHERE rowid = old.id;
    INSERT INTO nft_words (rowid, words) SELECT new.id, new.words WHERE new.words IS NOT NULL;
  END`,
  `CREATE TRIGGER IF NOT EXISTS nft_words_gone AFTER DELETE ON nft_metadata BEGIN
    DELETE FROM nft_words WHERE rowid = old.id;
  END`,
];

/** The terms as stored: PostgreSQL must not apply stemming. */
export const POSTGRES_TERMS = "array_to_tsvector(string_to_array(words, ' '))";
export const POSTGRES_SEARCH: readonly string[] = [
  `CREATE INDEX IF NOT EXISTS nft_words ON nft_metadata USING gin (${POSTGRES_TERMS})`,
];
