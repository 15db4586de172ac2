/** What a reporter needs of core before core itself is loaded. Imports no package. */
export { formatLimits, formatValue, isWithin } from './model/limits'
export { TEST_API_MEDIA_TYPE, TEST_API_META } from './model/test-api-event'
export { messageOf, tellUser } from './util/tell-user'
