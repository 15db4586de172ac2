/** The exit code of a service that wants to be started again. */
export const RELOAD = 75
