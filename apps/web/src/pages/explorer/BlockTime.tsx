import { formatDate, RelativeTime, useTranslation } from "@purse/ui";

/** The exact time of a block or transaction, followed by its age. */
export function BlockTime({ at }: { at: string }) {
  const { language } = useTranslation();
  return (
    <>
      <span className="number">{formatDate(at, language, "long")}</span>{" "}
      <span className="soft">
        (<RelativeTime at={at} />)
      </span>
    </>
  );
}
