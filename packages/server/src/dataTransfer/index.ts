export { createBackup, restoreBackup } from "./createBackup.ts";
export { type ExportCounts, exportStore } from "./export.ts";
export { type ImportCounts, type ImportOptions, importFile } from "./import.ts";
export { type DumpCounts, gridDocuments, importDump } from "./parseDump.ts";
export { type Progress, terminalProgress } from "./progress.ts";
