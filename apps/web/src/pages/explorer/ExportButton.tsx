import { Button, downloadFile, explain, useToast, useTranslation } from "@purse/ui";
import { useState } from "react";
import { csvOf } from "./csv.ts";

export interface ExportButtonProps {
  /** The file name without its extension. */
  name: string;
  columns: readonly string[];
  rows: () => Promise<readonly (readonly string[])[]>;
}

/** Exports the rows as a CSV file. */
export function ExportButton({ name, columns, rows }: ExportButtonProps) {
  const { t, count } = useTranslation();
  const toast = useToast();
  const [isBusy, setIsBusy] = useState(false);
  async function run() {
    setIsBusy(true);
    try {
      const all = await rows();
      downloadFile(`${name}.csv`, csvOf(columns, all), "text/csv;charset=utf-8");
      toast(count(all.length, "{n} row exported", "{n} rows exported"));
    } catch (error) {
      const { title, detail } = explain(error, t);
      toast(`${title}. ${detail}`);
    } finally {
      setIsBusy(false);
    }
  }
  return (
    <Button small busy={isBusy} onClick={run} title={t("Exports up to 2,000 of the newest rows")}>
      {t("Export CSV")}
    </Button>
  );
}
