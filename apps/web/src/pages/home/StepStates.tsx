import { FailedRead, isForbidden, isUnavailable, Status, useTranslation } from "@purse/ui";
import { useEffect } from "react";
import { useServerQuery } from "../../query/useServerQuery.ts";
import { useAddress } from "../../wallet/useAddress.ts";
import { DEFAULT_CLASS, permissionsUrl } from "../data/classes.ts";
import { hasRecords, hasSentCoins } from "./completedSteps.ts";

/** The steps that are done; undefined while unknown. */
export interface CompletedSteps {
  hasSentCoins: boolean | undefined;
  hasRecords: boolean | undefined;
}

export interface StepStatesProps {
  userId: string;
  /** When the user was created, in ms since 1970. */
  since: number;
  /** Receives what the chain index and the database know. Must be stable. */
  onChange: (completed: CompletedSteps) => void;
}

/** Reads which of the first steps the user has completed. Shows only a failure. */
export function StepStates({ userId, since, onChange }: StepStatesProps) {
  const { t } = useTranslation();
  const { address, chain } = useAddress();
  const sent = useServerQuery({
    queryKey: address && chain ? ["has sent coins", chain.hexId, address.toLowerCase(), since] : undefined,
    queryFn: (options) =>
      address && chain
        ? hasSentCoins({ address, chain: chain.hexId }, since, options)
        : Promise.resolve(false),
  });
  const records = useServerQuery({ queryKey: ["has records", userId], queryFn: hasRecords });
  useEffect(
    () => onChange({ hasSentCoins: sent.data, hasRecords: records.data }),
    [onChange, sent.data, records.data],
  );
  const failed = [sent, records].find(
    ({ data, error }) => data === undefined && error !== null && !isUnavailable(error) && !isForbidden(error),
  );
  return (
    <>
      {isForbidden(records.error) && (
        <p className="row small" role="status">
          <Status kind="warning">
            {t("You don't have permission to read {class}", { class: DEFAULT_CLASS })}
          </Status>
          <a href={permissionsUrl(DEFAULT_CLASS)}>{t("Change permissions in the studio")}</a>
        </p>
      )}
      {failed && <FailedRead query={failed}>{t("Some steps could not be checked")}</FailedRead>}
    </>
  );
}
