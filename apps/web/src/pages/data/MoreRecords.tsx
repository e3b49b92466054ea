import type { Query } from "@purse/client";
import { useMoralis } from "@purse/react";
import { Button, useTranslation } from "@purse/ui";
import type { LiveRecords } from "../../query/useLiveRecords.ts";
import { useServerQuery } from "../../query/useServerQuery.ts";

/** How long a count is kept while records change, in ms. */
const COUNT_MS = 10_000;

/** How many of the records of a query are shown, and a button that reads more of them. */
export function MoreRecords({ query, found }: { query: Query; found: LiveRecords }) {
  const { t } = useTranslation();
  const userId = useMoralis().user?.id;
  const period = Math.floor(found.dataUpdatedAt / COUNT_MS);
  // Clients may be allowed to find objects without counting them.
  const { data: total } = useServerQuery({
    queryKey: ["count", query.className, userId, query.toJSON(), period],
    queryFn: (options) => query.count(options),
    keepPrevious: "loading",
  });
  const shown = found.data?.length ?? 0;
  return (
    <div className="row spread">
      <p className="small soft number" role="status">
        {total === undefined
          ? t("The first {n, number} records", { n: shown })
          : t("{n, number} of {total, plural, one {# record} other {# records}}", {
              n: Math.min(shown, total),
              total,
            })}
      </p>
      <Button small busy={found.isFetching} onClick={found.showMore}>
        {t("Show more")}
      </Button>
    </div>
  );
}
