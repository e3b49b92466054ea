/** The path of the Parse API and of live queries. */
export const MOUNT_PATH = "/server";
/** The path of the data API. */
export const DATA_PATH = "/api/v2";
/** The data API is also below the path of later clients of Moralis. */
export const DATA_PATHS = ["/api/v2.2", DATA_PATH] as const;
/** The path of the admin API, below the path of the studio's pages. */
export const STUDIO_PATH = "/studio/api";
