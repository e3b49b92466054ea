import { Button, downloadFile, useAction, useToast, useTranslation } from "@purse/ui";
import { csvOf } from "./csv.ts";

export interface ExportButtonProps {
  /** The file name without its extension. */
  name: string;
  columns: readonly string[];
  rows: () => Promise<readonly (readonly string[])[]>;
}

/** Exports the rows as a CSV file. */
export function ExportButton({ name, columns, rows }: ExportButtonProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const { run, busy } = useAction(
    async () => {
      const all = await rows();
      downloadFile(`${name}.csv`, csvOf(columns, all), "text/csv;charset=utf-8");
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
