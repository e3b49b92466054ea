import { Button, downloadFile, useAction, useToast, useTranslation } from "@purse/ui";
import { csvOf } from "./csv.ts";
import type { CsvColumns } from "./csvColumns.ts";

export interface ExportButtonProps<Row> {
  /** The file name without its extension. */
  name: string;
  columns: CsvColumns<Row>;
  rows: () => Promise<readonly Row[]>;
}

/** Exports the rows as a CSV file. */
export function ExportButton<Row>({ name, columns, rows }: ExportButtonProps<Row>) {
  const { t } = useTranslation();
  const toast = useToast();
  const { run, busy } = useAction(
    async () => {
      const all = await rows();
      const cells = all.map((row) => Object.values(columns).map((cellOf) => cellOf(row) ?? ""));
      downloadFile(`${name}.csv`, csvOf(Object.keys(columns), cells), "text/csv;charset=utf-8");
      toast(t("{n, plural, one {# row exported} other {# rows exported}}", { n: all.length }));
    },
    { errorsAs: "toast" },
  );
  return (
    <Button small busy={busy} onClick={run} title={t("Exports up to 2,000 of the newest rows")}>
      {t("Export CSV")}
    </Button>
  );
}
