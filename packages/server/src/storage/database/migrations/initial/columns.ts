/** There is only organisation 1 so far. The column comes last in unique keys, so that they also serve lookups by text alone. */
export const ORGANISATION = 'organisation_id bigint NOT NULL DEFAULT 1'

export const CREATED_BY_USER = `created_at_us bigint NOT NULL,
  created_by_user_id bigint REFERENCES users (id)`

export const CREATED_BY_ANY = `${CREATED_BY_USER},
  created_by_station_id bigint REFERENCES stations (id)`

export const OF_RUN = 'run_id bigint NOT NULL REFERENCES runs (id) ON DELETE CASCADE'

export const OF_PHASE = `${OF_RUN},
  phase_id bigint NOT NULL`
