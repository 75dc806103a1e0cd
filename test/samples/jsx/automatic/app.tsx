// The automatic runtime, from a package that tsconfig.json names.
interface Props {
  readonly name: string;
  readonly children?: unknown;
}
const List = ({ items }: { items: { label: string }[] }) => {
  const count: number = items.length;
  return <ul title={`${count}`}>{items.map((item) => <li key={item.label}>{item.label.trim()}</li>)}</ul>;
};
function Page({ name }: Props) {
  return (
    <>
      <List items={[{ label: " a " }, { label: name }]} />
      &nbsp;text <b hidden />
    </>
  );
}
const render = (node: any): unknown =>
  typeof node?.type === "function" ? render(node.type(node.props)) : Array.isArray(node?.props?.children) ? node.props.children.map(render) : node;
console.log(JSON.stringify(render(<Page name="b" />)), String(Page).includes("__ob"));
render(<List items={[{ label: "x" }, {} as never]} />);
