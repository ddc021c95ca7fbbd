/**
 * The small changes of meaning that a source file allows, and its text with all
 * of them in: `globalThis.__mutant(id)` says which one is switched on, so that a
 * file is compiled once for all of its mutants.
 *
 *   comparisons    < and <=, > and >=, === and !==
 *   logic          && and || lose either side, ?? keeps one side, !x is x, a condition is true or false
 *   arithmetic     + and -, * and /, % and *, shifts, & and |, ++ and --, += and -=, -x is x
 *   literals       true and false; a small number and one more or less, a larger one twice and half
 *   assignments    ??=, ||= and &&= become =
 *   calls          some and every, min and max, floor and ceil; filter, sort, reverse, trim and the like do nothing
 *   control        a statement that is a call or an assignment is left out; so are return, throw, continue and
 *                  break within a block; a case of a switch matches nothing
 *   chains         ?. becomes .
 *
 * Left alone: types, imports, log lines, texts of errors, and the increment of a `for` (it would never end).
 */
import ts from 'typescript'

export interface Mutant {
  /** What names it in a list, wherever the line moves: file, function, change; with a number where it occurs twice. */
  readonly key: string
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly before: string
  readonly after: string
}

/** A mutant, and how the text of a file is changed for it. */
interface Change extends Mutant {
  /** The expression or statement that the switch is put around. */
  readonly target: ts.Node
  /** The text of the target where the mutant is on; empty for a statement that is left out. */
  readonly text: string
}

export interface MutableFile {
  readonly mutants: readonly Mutant[]
  /** The text with a switch for each of the mutants, by their ids. */
  instrument(ids: ReadonlyMap<Mutant, number>): string
}

const K = ts.SyntaxKind
const LONGEST_TEXT = 90
const SHORT_TEXT = 12
const HALVED_FROM = 65
const LOG_CALL = /(^|[.#])(log|logger|console)\??\.\w+$/i

const OPERATORS = new Map<ts.SyntaxKind, string>([
  [K.LessThanToken, '<='],
  [K.LessThanEqualsToken, '<'],
  [K.GreaterThanToken, '>='],
  [K.GreaterThanEqualsToken, '>'],
  [K.EqualsEqualsEqualsToken, '!=='],
  [K.ExclamationEqualsEqualsToken, '==='],
  [K.PlusToken, '-'],
  [K.MinusToken, '+'],
  [K.AsteriskToken, '/'],
  [K.SlashToken, '*'],
  [K.PercentToken, '*'],
  [K.LessThanLessThanToken, '>>'],
  [K.GreaterThanGreaterThanToken, '<<'],
  [K.GreaterThanGreaterThanGreaterThanToken, '<<'],
  [K.AmpersandToken, '|'],
  [K.BarToken, '&'],
  [K.PlusEqualsToken, '-='],
  [K.MinusEqualsToken, '+='],
  [K.QuestionQuestionEqualsToken, '='],
  [K.BarBarEqualsToken, '='],
  [K.AmpersandAmpersandEqualsToken, '='],
])
const EQUALITY = new Set([K.EqualsEqualsEqualsToken, K.ExclamationEqualsEqualsToken])
const LOGIC = new Set([K.AmpersandAmpersandToken, K.BarBarToken, K.QuestionQuestionToken])
const OTHER_METHOD = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['indexOf', 'lastIndexOf'],
  ['lastIndexOf', 'indexOf'],
])
const OTHER_FUNCTION = new Map([
  ['Math.min', 'Math.max'],
  ['Math.max', 'Math.min'],
  ['Math.floor', 'Math.ceil'],
  ['Math.ceil', 'Math.floor'],
])
/** Methods whose receiver may stand in their place. */
const PASSING_ON = new Set([
  'filter',
  'sort',
  'toSorted',
  'reverse',
  'toReversed',
  'trim',
  'trimStart',
  'trimEnd',
  'toLowerCase',
  'toUpperCase',
])

/** @param file  how it is named in lists and reports */
export function mutableFile(file: string, text: string): MutableFile {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true)
  const changes = changesOf(source, file)
  return {
    mutants: changes,
    instrument: (ids) => instrumented(source, changes, ids as ReadonlyMap<Change, number>),
  }
}

function changesOf(source: ts.SourceFile, file: string): Change[] {
  const changes: Change[] = []
  const seen = new Map<string, number>()
  const textOf = (node: ts.Node): string => node.getText(source)

  const add = (target: ts.Node, text: string, before: string, after: string): void => {
    const named = [file, placeOf(target), short(before), short(after)].join('\t')
    const count = (seen.get(named) ?? 0) + 1
    seen.set(named, count)
    changes.push({
      key: count === 1 ? named : `${named} #${count}`,
      file,
      line: source.getLineAndCharacterOfPosition(target.getStart(source)).line + 1,
      before: short(before),
      after: short(after),
      target,
      text,
    })
  }
  /** Puts another text in the place of an expression. A short one is shown with what is around it. */
  const change = (target: ts.Node, text: string): void => {
    const { parent } = target
    const isShort = textOf(target).length < SHORT_TEXT && textOf(parent).length < LONGEST_TEXT
    const shown = isShort && isContext(parent) ? parent : target
    add(target, text, textOf(shown), replaced(shown, target, text))
  }
  /** Puts another text in the place of a part of an expression, such as its operator. */
  const swap = (part: ts.Node, text: string, expression: ts.Node): void => {
    const target = chainOf(expression)
    const changed = replaced(target, part, text)
    add(target, changed, textOf(target), changed)
  }
  const replaced = (whole: ts.Node, part: ts.Node, text: string): string => {
    const all = textOf(whole)
    const start = part.getStart(source) - whole.getStart(source)
    return all.slice(0, start) + text + all.slice(start + part.end - part.getStart(source))
  }

  const visitBinary = (node: ts.BinaryExpression): void => {
    const { kind } = node.operatorToken
    if (LOGIC.has(kind)) {
      change(node, textOf(node.left))
      change(node, textOf(node.right))
      return
    }
    const other = OPERATORS.get(kind)
    if (other === undefined) return
    if (EQUALITY.has(kind) && isCondition(node)) return
    if (kind === K.PlusToken && (isText(node.left) || isText(node.right))) return
    if (kind === K.PlusEqualsToken && isText(node.right)) return
    swap(node.operatorToken, other, node)
  }

  const visitCall = (node: ts.CallExpression): void => {
    const { expression: callee } = node
    if (!ts.isPropertyAccessExpression(callee)) return
    const other = OTHER_METHOD.get(callee.name.text)
    if (other !== undefined) swap(callee.name, other, node)
    const otherFunction = OTHER_FUNCTION.get(textOf(callee))
    if (otherFunction !== undefined) swap(callee, otherFunction, node)
    if (textOf(callee) === 'Math.abs') change(node, textOf(node.arguments[0]!))
    if (PASSING_ON.has(callee.name.text) && !ts.isExpressionStatement(node.parent))
      swap(node, textOf(callee.expression), node)
  }

  const visitStatement = (node: ts.Statement): void => {
    if (ts.isExpressionStatement(node)) {
      const { expression } = node
      if (isRemovable(expression) && !isLog(expression, source)) add(node, '', textOf(expression), '')
    } else if (isJump(node) && !isOnlyStatement(node) && !isLastOfFunction(node)) {
      add(node, '', textOf(node), '')
    }
  }

  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return
    if (ts.isCallExpression(node) && isLog(node, source)) return
    if (ts.isTemplateExpression(node) && isWithinThrow(node)) return
    if (ts.isStatement(node)) visitStatement(node)
    if (ts.isExpression(node) && isCondition(node) && !isLogical(node) && !isBoolean(node)) {
      if (!isLoopCondition(node)) change(node, 'true')
      change(node, 'false')
    }
    if (ts.isBinaryExpression(node)) visitBinary(node)
    else if (ts.isCallExpression(node)) visitCall(node)
    else if (isBoolean(node)) change(node, node.kind === K.TrueKeyword ? 'false' : 'true')
    else if (ts.isNumericLiteral(node) || ts.isBigIntLiteral(node)) {
      if (!isName(node)) for (const other of otherNumbers(textOf(node))) change(node, other)
    } else if (ts.isPrefixUnaryExpression(node)) {
      if (node.operator === K.ExclamationToken) change(node, textOf(node.operand))
      if (node.operator === K.MinusToken && !ts.isNumericLiteral(node.operand))
        change(node, textOf(node.operand))
    }
    if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
      const isStep = node.operator === K.PlusPlusToken || node.operator === K.MinusMinusToken
      const whole = textOf(node)
      const other = whole.includes('++') ? whole.replace('++', '--') : whole.replace('--', '++')
      if (isStep && !isIncrementor(node)) change(node, other)
    }
    if (ts.isCaseClause(node) && ts.isStringLiteral(node.expression))
      change(node.expression, "'no such case'")
    if ('questionDotToken' in node && node.questionDotToken && ts.isExpression(node))
      swap(node.questionDotToken as ts.Node, ts.isPropertyAccessExpression(node) ? '.' : '', node)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return changes
}

/** The text, with each target in a switch; the lines stay as long as nothing that is replaced has several. */
function instrumented(
  source: ts.SourceFile,
  changes: readonly Change[],
  ids: ReadonlyMap<Change, number>,
): string {
  const { text } = source
  const byTarget = new Map<ts.Node, Change[]>()
  for (const one of changes) {
    if (ids.has(one)) byTarget.set(one.target, [...(byTarget.get(one.target) ?? []), one])
  }
  const emit = (node: ts.Node): string => {
    let at = node.getStart(source)
    let out = ''
    ts.forEachChild(node, (child) => {
      const start = child.getStart(source)
      if (start < at) throw new Error(`${source.fileName}: the parts of a node overlap at ${start}.`)
      out += text.slice(at, start) + emit(child)
      at = child.end
    })
    out += text.slice(at, node.end)
    const own = byTarget.get(node)
    if (own !== undefined) {
      out = ts.isStatement(node)
        ? own.reduce((inner, one) => `{ if (!__mutant(${ids.get(one)})) ${inner} }`, out)
        : `(${own.map((one) => `__mutant(${ids.get(one)}) ? (${one.text}) : `).join('')}(${out}))`
    }
    // Without a semicolon, a bracket at the start of a line would call what ends the line before.
    return ts.isStatement(node) && isListed(node) && /^[({]/.test(out) ? `;${out}` : out
  }
  return `const __mutant = globalThis.__mutant;${emit(source)}`
}

/** What says more than a short part of it alone. */
const isContext = (node: ts.Node): boolean =>
  (ts.isExpression(node) &&
    !ts.isParenthesizedExpression(node) &&
    !ts.isConditionalExpression(node) &&
    !ts.isFunctionLike(node)) ||
  ts.isVariableDeclaration(node) ||
  ts.isPropertyDeclaration(node) ||
  ts.isPropertyAssignment(node) ||
  ts.isParameter(node)

const isListed = ({ parent }: ts.Node): boolean =>
  parent !== undefined && (ts.isBlock(parent) || ts.isSourceFile(parent) || ts.isCaseOrDefaultClause(parent))

const isText = (node: ts.Expression): boolean => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)
const isBoolean = (node: ts.Node): boolean => node.kind === K.TrueKeyword || node.kind === K.FalseKeyword

const isLogical = (node: ts.Node): boolean =>
  (ts.isBinaryExpression(node) && LOGIC.has(node.operatorToken.kind)) ||
  (ts.isParenthesizedExpression(node) && isLogical(node.expression)) ||
  (ts.isPrefixUnaryExpression(node) && node.operator === K.ExclamationToken)

/** What an `if`, a loop or a `?` depends on. */
function isCondition(node: ts.Expression): boolean {
  const { parent } = node
  if (ts.isIfStatement(parent)) return parent.expression === node
  if (ts.isConditionalExpression(parent) || ts.isForStatement(parent)) return parent.condition === node
  return (ts.isWhileStatement(parent) || ts.isDoStatement(parent)) && parent.expression === node
}

const isLoopCondition = ({ parent }: ts.Node): boolean => ts.isIterationStatement(parent, false)
const isIncrementor = (node: ts.Node): boolean =>
  ts.isForStatement(node.parent) && node.parent.incrementor === node

/** A number that is the name of a member. */
const isName = (node: ts.Node): boolean => (node.parent as Partial<ts.NamedDeclaration>).name === node

function isRemovable(node: ts.Expression): boolean {
  if (ts.isAwaitExpression(node) || ts.isVoidExpression(node)) return isRemovable(node.expression)
  if (ts.isCallExpression(node)) return node.expression.kind !== K.SuperKeyword
  if (ts.isDeleteExpression(node)) return true
  return ts.isBinaryExpression(node) && node.operatorToken.kind === K.EqualsToken
}

function isLog(node: ts.Node, source: ts.SourceFile): boolean {
  if (ts.isAwaitExpression(node) || ts.isVoidExpression(node)) return isLog(node.expression, source)
  return ts.isCallExpression(node) && LOG_CALL.test(node.expression.getText(source))
}

const isJump = (node: ts.Node): boolean =>
  ts.isReturnStatement(node) ||
  ts.isThrowStatement(node) ||
  ts.isContinueStatement(node) ||
  ts.isBreakStatement(node)

/** Without it, its `if` does nothing; the mutant of the condition is the same. */
function isOnlyStatement(node: ts.Statement): boolean {
  const { parent } = node
  if (ts.isBlock(parent)) return parent.statements.length === 1
  return !ts.isCaseOrDefaultClause(parent)
}

const isLastOfFunction = ({ parent }: ts.Node): boolean =>
  ts.isSourceFile(parent) || (ts.isBlock(parent) && ts.isFunctionLike(parent.parent))

function isWithinThrow(node: ts.Node): boolean {
  for (let at = node; at; at = at.parent) {
    if (ts.isThrowStatement(at)) return true
    if (ts.isFunctionLike(at)) return false
  }
  return false
}

/** All of `a?.b.c`, where its part `a?.b` is asked for: brackets within a chain would end it. */
function chainOf(node: ts.Node): ts.Node {
  const { parent } = node
  const isInChain = (parent.flags & ts.NodeFlags.OptionalChain) !== 0
  return isInChain && 'expression' in parent && parent.expression === node ? chainOf(parent) : node
}

function otherNumbers(text: string): readonly string[] {
  const suffix = text.endsWith('n') ? 'n' : ''
  const value = Number(text.replaceAll('_', '').replace(/n$/, ''))
  const isByte = /^0x/i.test(text)
  if (!Number.isSafeInteger(value)) return suffix === '' ? [`(${text} * 2)`] : [`(${text} * 2n)`]
  if (value === 0) return [`1${suffix}`]
  return value < HALVED_FROM || isByte
    ? [`${value + 1}${suffix}`, `${value - 1}${suffix}`]
    : [`${value * 2}${suffix}`, `${Math.floor(value / 2)}${suffix}`]
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= LONGEST_TEXT ? line : `${line.slice(0, LONGEST_TEXT)}…`
}

/** The names of the functions, classes and constants that it stands in. */
function placeOf(node: ts.Node): string {
  const names: string[] = []
  for (let at: ts.Node | undefined = node; at; at = at.parent) {
    const isNamed =
      ts.isFunctionDeclaration(at) ||
      ts.isMethodDeclaration(at) ||
      ts.isAccessor(at) ||
      ts.isClassLike(at) ||
      ts.isPropertyDeclaration(at) ||
      ts.isVariableDeclaration(at)
    const name = isNamed ? (at as ts.NamedDeclaration).name : undefined
    if (name !== undefined) names.unshift(short(name.getText()))
    else if (ts.isConstructorDeclaration(at)) names.unshift('constructor')
  }
  return names.join('.') || 'module'
}
