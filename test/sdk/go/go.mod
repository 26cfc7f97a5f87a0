module edge.example/sdk/example

go 1.23

require (
	edge.example/sdk/edgeclient v0.0.0
	edge.example/sdk/edgefabric v0.0.0
	edge.example/sdk/edgemanagement v0.0.0
)

replace (
	edge.example/sdk/edgeclient => ../client
	edge.example/sdk/edgefabric => ../fabric
	edge.example/sdk/edgemanagement => ../management
)
