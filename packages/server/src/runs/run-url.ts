/** The run's page in the dashboard; it ends in the run's id (contract decisions, v1). */
export function formatRunUrl(publicUrl: string, id: string): string {
  return `${publicUrl}/runs/${id}`
}

/** The page of all runs with the same report variable `group`. */
export function formatGroupUrl(publicUrl: string, group: string): string {
  return `${publicUrl}/runs?group=${encodeURIComponent(group)}`
}
