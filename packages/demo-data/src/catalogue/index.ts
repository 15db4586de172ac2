import { API } from './api'
import { LIBRARY } from './library'
import { MOBILE } from './mobile'
import type { Project } from './project'
import { SHOP } from './shop'

export const PROJECTS: readonly Project[] = [SHOP, API, MOBILE, LIBRARY]
