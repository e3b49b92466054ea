import { formatDate, isRelativeTime, RelativeTime, useTranslation } from "@purse/ui";

/** The exact time of a block or transaction, followed by its age if it is from the last week. */
export function BlockTime({ at }: { at: string }) {
  const { language } = useTranslation();
  return (
    <>
      <span className="number">{formatDate(at, language, "long")}</span>
      {isRelativeTime(Date.parse(at), Date.now()) && (
        <span className="soft">
          {" "}
          (<RelativeTime at={at} />)
        </span>
      )}
    </>
  );
}
