import { ParseObject } from "@purse/client";
import { Button, useAction, useTranslation } from "@purse/ui";
import { aclOf } from "./recordAccess.ts";

const COUNT = 3;

/** A button that adds a few records to try the page with: everyone can read them, and their creator can edit them. */
export function SampleRecords({ className, userId, onAdded }: SampleRecordsProps) {
  const { t } = useTranslation();
  const { run, busy } = useAction(
    async () => {
      const acl = aclOf([
        { who: "*", read: true, write: false },
        { who: userId, read: true, write: true },
      ]);
      const records = Array.from({ length: COUNT }, (_, i) => {
        const text = t("Sample note {n, number}", { n: i + 1 });
        const record = new ParseObject(className, { text, done: i === 0 });
        record.setACL(acl);
        return record;
      });
      await ParseObject.saveAll(records);
      onAdded();
    },
    { errorsAs: "toast" },
  );
  return (
    <Button busy={busy} onClick={run}>
      {t("Add sample records")}
    </Button>
  );
}

interface SampleRecordsProps {
  className: string;
  /** The user who creates them. */
  userId: string;
  onAdded: () => void;
}
