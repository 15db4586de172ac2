import type { Commit } from '../build'
import { BRANCH_TEST, OUTAGE } from '../catalogue/planted'
import { joinTitles, type Project } from '../catalogue/project'
import type { Draw } from '../draw'
import { plantCommits } from './plant-commits'
import { type BuildPlan, type Days, endOfDay, isWorkingDay, type ProjectPlan } from './plan'

/** A pull request that is not merged yet. */
interface Request {
  number: number
  branch: string
  author: string
  title: string
  base: Commit
  pushesLeft: number
  breaks: string[]
  last: Commit | undefined
}

const WORK_MS = 10 * 3600 * 1000
/** The last build of a day begins this long before the day's end. */
const REST_MS = 40 * 60 * 1000
const BUILDS_OF_OUTAGE = 4

export function planProject(project: Project, days: Days, draw: Draw): ProjectPlan {
  return new ProjectPlanner(project, days, draw).plan()
}

class ProjectPlanner {
  readonly #main: Commit[] = []
  readonly #open: Request[] = []
  readonly #merging: Request[] = []
  readonly #builds: BuildPlan[] = []
  readonly #outageDay: number | undefined
  #requests = 140

  constructor(
    private readonly project: Project,
    private readonly days: Days,
    private readonly draw: Draw,
  ) {
    this.#outageDay = project.key === OUTAGE.project ? findWorkingDay(days, OUTAGE.at) : undefined
  }

  plan(): ProjectPlan {
    for (let day = 0; day < this.days.count; day++) this.#planDay(day)
    const { project } = this
    const plan = { project, builds: this.#builds, main: this.#main, outageDay: this.#outageDay }
    plantCommits(plan)
    if (project.key === BRANCH_TEST.project) plantBranch(plan, this.draw)
    return plan
  }

  #planDay(day: number): void {
    const count = this.#countBuilds(day)
    const endMs = endOfDay(day, this.days)
    for (let slot = 0; slot < count; slot++) {
      const place = (slot + this.draw.fraction(this.project.key, 'time', day, slot)) / count
      const startedAtMs = Math.round(endMs - WORK_MS + place * (WORK_MS - REST_MS))
      this.#planBuild(day, startedAtMs)
    }
  }

  #countBuilds(day: number): number {
    const { key, buildsPerDay } = this.project
    if (!isWorkingDay(day, this.days)) return this.draw.chance(0.12, key, 'weekend', day) ? 1 : 0
    const drawn = Math.round(buildsPerDay + 0.8 * this.draw.normal(key, 'builds', day))
    if (day === this.#outageDay) return Math.max(BUILDS_OF_OUTAGE, drawn)
    return Math.max(day === this.days.count - 1 ? 2 : 1, drawn)
  }

  #planBuild(day: number, startedAtMs: number): void {
    const { key } = this.project
    const index = this.#builds.length
    const drawn = this.draw.fraction(key, 'kind', index)
    const plan = { project: this.project, index, day, startedAtMs }
    if (this.#main.length === 0 || drawn < 0.42) this.#builds.push({ ...plan, ...this.#commitToMain(index) })
    else if (drawn < 0.9 || day === this.#outageDay) this.#builds.push({ ...plan, ...this.#push(index) })
    else this.#builds.push({ ...plan, ...this.#executeLocally(index) })
  }

  #commitToMain(index: number): Omit<BuildPlan, 'project' | 'index' | 'day' | 'startedAtMs'> {
    const merged = this.#merging.shift()
    const commit = {
      sha: this.draw.hex(40, this.project.key, 'commit', index),
      subject: merged ? `${merged.title} (#${merged.number})` : this.#drawSubject(index),
      author: merged?.author ?? this.#drawAuthor(index),
      position: this.#main.length,
    }
    this.#main.push(commit)
    return { kind: 'main', commit, branch: 'main', breaks: [] }
  }

  #push(index: number): Omit<BuildPlan, 'project' | 'index' | 'day' | 'startedAtMs'> {
    const { key } = this.project
    const opens =
      this.#open.length === 0 || (this.#open.length < 4 && this.draw.chance(0.35, key, 'open', index))
    const request = opens ? this.#openRequest(index) : this.draw.pick(this.#open, key, 'push', index)
    request.pushesLeft -= 1
    const isLast = request.pushesLeft === 0
    const commit = {
      sha: this.draw.hex(40, key, 'commit', index),
      subject: opens ? request.title : this.draw.pick(FOLLOW_UPS, key, 'follow-up', index),
      author: request.author,
      position: request.base.position,
    }
    request.last = commit
    if (isLast) this.#merging.push(...this.#open.splice(this.#open.indexOf(request), 1))
    const { branch, base, number } = request
    return { kind: 'request', commit, branch, base, request: number, breaks: isLast ? [] : request.breaks }
  }

  #openRequest(index: number): Request {
    const { key } = this.project
    const title = this.#drawSubject(index)
    const slug = title.toLowerCase().replace(/\W+/g, '-')
    const pushesLeft = 1 + this.draw.index(4, key, 'pushes', index)
    const breaks = this.draw.chance(0.4, key, 'breaks', index) && pushesLeft > 1 ? this.#drawTests(index) : []
    this.#requests += 1 + this.draw.index(3, key, 'number', index)
    const base = this.#main.at(-1) as Commit
    const author = this.#drawAuthor(index)
    const request = {
      number: this.#requests,
      branch: `change/${slug}`,
      author,
      title,
      base,
      pushesLeft,
      breaks,
    }
    const opened: Request = { ...request, last: undefined }
    this.#open.push(opened)
    return opened
  }

  #executeLocally(index: number): Omit<BuildPlan, 'project' | 'index' | 'day' | 'startedAtMs'> {
    const request = this.#open.find(({ last }) => last !== undefined)
    const commit = request?.last ?? (this.#main.at(-1) as Commit)
    const isFailing = this.draw.chance(0.3, this.project.key, 'local', index)
    return {
      kind: 'local',
      commit,
      branch: request?.branch ?? 'main',
      ...(request && { base: request.base }),
      breaks: isFailing ? this.#drawTests(index) : [],
    }
  }

  #drawSubject(index: number): string {
    const { key, areas } = this.project
    return `${this.draw.pick(VERBS, key, 'verb', index)} ${this.draw.pick(areas, key, 'area', index)}`
  }

  #drawAuthor(index: number): string {
    return this.draw.pick(this.project.people, this.project.key, 'author', index)
  }

  /** One to three tests of one file, which one change breaks. */
  #drawTests(index: number): string[] {
    const { key, suites } = this.project
    const { file, tests } = this.draw.pick(suites, key, 'broken-file', index)
    const running = tests.filter(({ skipped }) => skipped === undefined)
    const first = this.draw.index(running.length, key, 'broken-test', index)
    const count = 1 + this.draw.index(3, key, 'broken-count', index)
    return running.slice(first, first + count).map(({ titles }) => `${file} ${joinTitles(titles)}`)
  }
}

const VERBS = [
  'Rework',
  'Simplify',
  'Fix',
  'Speed up',
  'Translate',
  'Restyle',
  'Document',
  'Clean up',
  'Extend',
]
const FOLLOW_UPS = [
  'Address review',
  'Fix tests',
  'Rename as discussed',
  'Handle the empty case',
  'Update snapshots',
]

function findWorkingDay(days: Days, at: number): number {
  let day = Math.floor(days.count * at)
  while (!isWorkingDay(day, days)) day += 1
  return day
}

/** Moves the last pull request builds to the branch on which one test always fails. */
function plantBranch({ builds, main }: Pick<ProjectPlan, 'builds' | 'main'>, draw: Draw): void {
  const requests = builds.filter(({ kind }) => kind === 'request').slice(-BRANCH_TEST.builds)
  const base = main.at(requests[0]?.base?.position ?? 0) as Commit
  for (const [index, build] of requests.entries()) {
    const subject = index === 0 ? BRANCH_TEST.title : draw.pick(FOLLOW_UPS, 'branch', index)
    const sha = draw.hex(40, 'branch', 'commit', index)
    const commit = { sha, subject, author: BRANCH_TEST.author, position: base.position }
    Object.assign(build, { commit, base, branch: BRANCH_TEST.branch, request: 999, breaks: [] })
  }
}
