import { type DataSource, dataFieldsOf, toBase64 } from "@purse/ui";
import { useClasses } from "../../components/classes.ts";
import { useStudio } from "../../StudioContext.tsx";

/** Everything on the server, as the operator may read and write it. */
export function useStudioDataSource(): DataSource {
  const studio = useStudio();
  const { data, ...query } = useClasses();
  const classes = data?.map(({ className, fields }) => ({ className, fields: dataFieldsOf(fields) }));
  return {
    classes: { ...query, data: classes },
    findRows: async (className, where, limit, signal) =>
      (await studio.get("/data/:className", { className, where, limit }, signal)).results,
    uploadFile: async (file) => {
      const body = { name: file.name, base64: await toBase64(file), contentType: file.type };
      return studio.post("/files", body);
    },
  };
}
