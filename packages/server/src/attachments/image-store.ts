import { sql, type SqlBool } from 'kysely'

/** Holds for attachments that are no picture of a station or a revision: those are kept without a run. */
export const isNoImage = sql<SqlBool>`NOT EXISTS (
    SELECT 1 FROM stations WHERE stations.image_id = attachments.public_id AND stations.deleted_at_us IS NULL
  ) AND NOT EXISTS (SELECT 1 FROM revisions WHERE revisions.image_id = attachments.public_id)`
